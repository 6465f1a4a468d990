from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bilex.errors import SettingError
from bilex.storage import files
from bilex.storage.files import recover, writing
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


@pytest.fixture(params=["exchange", "steps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Replace folders by exchanging names, or as a system does that cannot."""
    if request.param == "steps":
        monkeypatch.setattr(files, "_renameat2", lambda: None)
    elif files._renameat2() is None:
        pytest.skip("this system cannot exchange two names")
    return str(request.param)


def make_folder(path: Path, content: str) -> None:
    with writing(path) as part:
        part.mkdir()
        (part / content).touch()


def test_a_folder_replaces_a_folder_either_way(tmp_path: Path, way: str) -> None:
    for content in ("one", "two", "three"):
        make_folder(tmp_path / "model", content)
    assert [p.name for p in (tmp_path / "model").iterdir()] == ["three"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_renameat2", lambda: None)
    path = tmp_path / "model"
    make_folder(path, "old")
    rename = Path.rename

    def refuse_new(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError("disk trouble")
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse_new)
        with pytest.raises(OSError, match="disk trouble"), writing(path) as part:
            part.mkdir()
    assert [p.name for p in path.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_exchange_that_fails_is_an_error_and_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(tmp_path / "model", "old")

    def refuse(*_: object) -> int:
        ctypes.set_errno(errno.EACCES)
        return -1

    monkeypatch.setattr(files, "_renameat2", lambda: refuse)
    with pytest.raises(PermissionError):
        make_folder(tmp_path / "model", "new")
    assert [p.name for p in (tmp_path / "model").iterdir()] == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def dead_process() -> int:
    """Return the number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def left_by(path: Path, ending: str, pid: int) -> Path:
    return path.with_name(f".{path.name}.{files._host()}-{pid}-0a1b2c3d.{ending}")


def test_leftovers_of_dead_processes_are_removed_and_others_stay(tmp_path: Path) -> None:
    path, gone = tmp_path / "model", dead_process()
    for ending in ("part", "new", "old"):
        left_by(path, ending, gone).mkdir()
    alive, foreign = left_by(path, "part", os.getppid()), left_by(tmp_path / "mo", "part", gone)
    elsewhere = path.with_name(f".model.00000000-{gone}-0a1b2c3d.part")
    for kept in (alive, foreign, elsewhere):
        kept.touch()
    make_folder(path, "new")
    assert set(tmp_path.iterdir()) == {path, alive, foreign, elsewhere}
    os.utime(elsewhere, (0, 0))  # of another machine, and old
    make_folder(path, "newer")
    assert set(tmp_path.iterdir()) == {path, alive, foreign}


@pytest.mark.parametrize(("endings", "found"), [(("new", "old"), "new"), (("old",), "old")])
def test_a_folder_whose_replacement_was_killed_in_between_is_put_back(
    tmp_path: Path, endings: tuple[str, ...], found: str
) -> None:
    path, gone = tmp_path / "model", dead_process()
    for ending in endings:
        left_by(path, ending, gone).mkdir()
        (left_by(path, ending, gone) / ending).touch()
    recover(path)
    assert [p.name for p in path.iterdir()] == [found]


def test_an_unfinished_folder_is_never_put_in_place(tmp_path: Path) -> None:
    path = tmp_path / "model"
    left_by(path, "part", dead_process()).mkdir()
    recover(path)
    assert not path.exists()


def test_a_half_finished_exchange_of_a_process_that_runs_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "model"
    left_by(path, "new", os.getppid()).mkdir()
    recover(path)
    assert not path.exists()


def test_hashes_are_sha256(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b"a\nb\n")
    assert sha256_of(path) == sha256_of_words(("a", "b"))
    assert sha256_of_words(("a\nb",)) == sha256_of(path)
