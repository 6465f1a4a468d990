"""Checks of the files and folders that a command was given, before its work begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bilex.cli.screen import note
from bilex.errors import SettingError


def check_writable(output: Path, *, inputs: Sequence[Path] = ()) -> None:
    """Raise `SettingError` if nothing can be written to a path; missing folders are made later.

    Args:
        output: The file or folder to write.
        inputs: Files that the command reads, which it must not replace.
    """
    for path in inputs:
        if _is_same(path, output):
            raise SettingError(f"{output} is also the input: give another name with -o")
    folder = output.absolute().parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise SettingError(f"cannot write {output}: {folder} is a file, expected a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError(
            f"cannot write {output}: {folder} is read-only, or you have no permission to write "
            "there; give another place with -o"
        )
    if output.exists() and not os.access(output, os.W_OK):
        raise SettingError(
            f"cannot write {output}: it exists and is read-only; give another name with -o"
        )


def warn_if_same(first: Path, second: Path, *, consequence: str) -> None:
    """Print a warning if two inputs are the same file."""
    if _is_same(first, second):
        note(f"warning: {first} and {second} are the same file: {consequence}")


def _is_same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:  # one of them does not exist
        return False
