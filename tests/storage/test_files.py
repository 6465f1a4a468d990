from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from bilex.errors import SettingError
from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of, sha256_of_words


def test_a_file_appears_only_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    with writing(path) as part:
        part.write_text("done")
        assert not path.exists()
    assert path.read_text() == "done"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with contextlib.suppress(KeyboardInterrupt), writing(path) as part:
        part.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_replaces_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for content in ("one", "two"):
        with writing(path) as part:
            part.mkdir()
            (part / content).touch()
    assert [p.name for p in path.iterdir()] == ["two"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_failing_midway_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").touch()
    with contextlib.suppress(RuntimeError), writing(path) as part:
        part.mkdir()
        raise RuntimeError
    assert [p.name for p in path.iterdir()] == ["old"]


def test_files_and_folders_do_not_replace_each_other(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingError, match="is a file"), writing(tmp_path / "file") as part:
        part.mkdir()
    with pytest.raises(SettingError, match="is a folder"), writing(tmp_path / "folder") as part:
        part.touch()


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").touch()
    rename = Path.rename

    def refuse_new(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError("disk trouble")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_new)
    with pytest.raises(OSError, match="disk trouble"), writing(path) as part:
        part.mkdir()
    assert [p.name for p in path.iterdir()] == ["old"]


def test_hashes_are_sha256(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b"a\nb\n")
    assert sha256_of(path) == sha256_of_words(("a", "b"))
    assert sha256_of_words(("a\nb",)) == sha256_of(path)
