"""What only happens on Windows, acted out."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path, PureWindowsPath

import pytest

from bilex.storage import files
from bilex.storage.files import writing
from bilex.storage.hashes import FileHashes


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_WINDOWS", True)
    monkeypatch.setattr(files, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(files, "_exchange", lambda one, other: False)


def busy(monkeypatch: pytest.MonkeyPatch, method: str, times: int) -> list[Path]:
    """Let a method of paths fail so many times, as while another program has a file open."""
    really, refused = getattr(Path, method), list[Path]()

    def move(self: Path, target: Path) -> Path:
        if len(refused) < times:
            refused.append(self)
            raise PermissionError(errno.EACCES, "Access is denied", str(self), None, str(target))
        moved: Path = really(self, target)
        return moved

    monkeypatch.setattr(Path, method, move)
    return refused


@pytest.mark.usefixtures("windows")
def test_a_file_that_is_open_for_a_moment_is_replaced_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    refused = busy(monkeypatch, "replace", 2)
    with writing(path) as part:
        part.write_text("new")
    assert path.read_text() == "new"
    assert len(refused) == 2
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("windows")
def test_a_file_that_stays_open_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    busy(monkeypatch, "replace", 3)
    with pytest.raises(PermissionError) as error, writing(path) as part:
        part.write_text("new")
    assert error.value.filename == str(path)
    assert error.value.strerror == (
        "is open in another program, or may not be changed: close it and try again"
    )
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("windows")
def test_a_folder_with_an_open_file_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").touch()
    really = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self == path:
            raise PermissionError(errno.EACCES, "Access is denied", str(self), None, str(target))
        return really(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(PermissionError) as error, writing(path) as part:
        part.mkdir()
    assert error.value.filename == str(path)
    assert [file.name for file in path.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("windows")
def test_an_old_folder_that_is_mapped_into_memory_does_not_undo_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").touch()

    def refuse(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Access is denied", str(folder))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with writing(path) as part:
        part.mkdir()
        (part / "new").touch()
    assert [file.name for file in path.iterdir()] == ["new"]


def test_elsewhere_a_missing_permission_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_WINDOWS", False)
    refused = busy(monkeypatch, "replace", 9)
    with pytest.raises(PermissionError, match="Access is denied"), writing(tmp_path / "x") as part:
        part.write_text("new")
    assert len(refused) == 1


def test_the_hash_of_a_folder_does_not_depend_on_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b/c", "B/a", "b-a"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)
    here = FileHashes().sha256(tmp_path)
    monkeypatch.setattr(
        Path,
        "relative_to",
        lambda path, folder: PureWindowsPath(str(path)[len(str(folder)) + 1 :].replace("/", "\\")),
    )
    monkeypatch.setattr(
        PureWindowsPath, "__rtruediv__", lambda inner, folder: folder / inner.as_posix()
    )
    assert FileHashes().sha256(tmp_path) == here
