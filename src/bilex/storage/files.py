"""Atomic writes: a file or folder appears complete or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bilex.errors import SettingError


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` if all went well.

    What is written there may be a file or a folder. An existing file is replaced; an existing
    folder is replaced only after the new one is complete. On any error, `path` stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = beside(path)
    try:
        yield temporary
        _move_into_place(temporary, path)
    finally:
        _remove(temporary)


def beside(path: Path, ending: str = "part") -> Path:
    """Return a new hidden name in the same folder, for what is not, or no longer, at `path`."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.{ending}")


def _move_into_place(temporary: Path, path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        if temporary.is_dir() and path.exists():
            raise SettingError(f"{path} is a file; give a folder that is new or was made by bilex")
        temporary.replace(path)
        return
    if not temporary.is_dir():
        raise SettingError(f"{path} is a folder; give the name of a file to write")
    retired = beside(path, "old")
    path.rename(retired)
    try:
        temporary.rename(path)
    except OSError:
        retired.rename(path)
        raise
    _remove(retired)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
