"""The start of a file, by which a format recognizes its own files."""

from __future__ import annotations

import gzip
import zlib
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

from bilex.errors import DictionaryFileError
from bilex.lexicons.formats.text_lines import (
    FIRST_LINES,
    GZIP_START,
    encoding_of,
    is_blank,
    numbered_lines,
)
from bilex.registry import did_you_mean

START_SIZE = 2**16
"""Bytes of `FileStart.data`."""


@dataclass(frozen=True, slots=True)
class FileStart:
    """The first bytes and lines of a file, without gzip compression.

    Attributes:
        path: The file or folder.
        data: The first bytes; empty for a folder or a damaged archive.
        lines: Those of the first 100 lines that are not blank; empty unless they are text, and
            for XML.
    """

    path: Path
    data: bytes = b""
    lines: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        """Return the extension in lower case and without .gz, such as ".tsv"."""
        return Path(self.path.name.lower().removesuffix(".gz")).suffix

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the start of a file.

        Raises:
            DictionaryFileError: If there is no such file, or it cannot be opened.
        """
        if path.is_dir():
            return cls(path)
        try:
            data = _first_bytes(path)
        except FileNotFoundError:
            raise DictionaryFileError(path, f"no such file{_similar_name(path)}") from None
        except OSError as error:
            raise DictionaryFileError(path, f"cannot be read: {error.strerror or error}") from None
        start = cls(path, data)
        is_xml = start.suffix == ".xml" and data.lstrip().startswith(b"<")
        return start if is_xml else cls(path, data, _first_lines(path, data))


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(START_SIZE)
        if not data.startswith(GZIP_START):
            return data
        file.seek(0)
        try:
            return gzip.GzipFile(fileobj=file).read(START_SIZE)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            return b""  # reading the file reports the problem


def _first_lines(path: Path, data: bytes) -> tuple[str, ...]:
    try:
        with closing(numbered_lines(path, encoding_of(data))) as lines:
            return tuple(line.text for line in islice(lines, FIRST_LINES) if not is_blank(line))
    except DictionaryFileError:
        return ()  # reading the file reports the problem


def _similar_name(path: Path) -> str:
    if not path.parent.is_dir():
        return f", and no folder {path.parent} either"
    return did_you_mean(path.name, [entry.name for entry in path.parent.iterdir()])
