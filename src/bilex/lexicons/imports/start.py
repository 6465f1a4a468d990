"""The start of a resource, by which an importer recognizes it."""

from __future__ import annotations

import bz2
import gzip
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bilex.errors import LexiconFileError
from bilex.lexicons.formats.text_lines import GZIP_START
from bilex.registry import did_you_mean

START_SIZE = 2**18
"""Bytes of `ResourceStart.data`; the first entry of a Wiktionary extract can be long."""

MOST_FILES = 10_000
BZIP2_START = b"BZh"
ZIP_START = b"PK\x03\x04"

ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What Python raises for an archive that is damaged, encrypted or of a kind it cannot read."""


@dataclass(frozen=True, slots=True)
class ResourceStart:
    """The first bytes of a file, or the names of the files in a folder or zip archive.

    Attributes:
        path: The file or folder.
        data: The first bytes, without gzip or bzip2 compression; empty for a folder, a zip archive
            or a damaged archive.
        names: The file names in a folder or zip archive.
    """

    path: Path
    data: bytes = b""
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the file name in lower case, without .gz and .bz2."""
        return self.path.name.lower().removesuffix(".gz").removesuffix(".bz2")

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the first complete lines that are not blank; empty unless they are UTF-8."""
        whole = self.data if len(self.data) < START_SIZE else self.data.rpartition(b"\n")[0]
        try:
            text = whole.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError:
            return ()
        return tuple(line for line in text.split("\n") if line.strip())

    @property
    def first(self) -> bytes:
        """Return the first bytes without a byte-order mark and white space before them."""
        return self.data.removeprefix(b"\xef\xbb\xbf").lstrip()

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the start of a file, or the names in a folder or zip archive.

        Raises:
            LexiconFileError: If there is no such file, or it cannot be opened.
        """
        try:
            if path.is_dir():
                found = sorted(entry.name for entry in path.iterdir())
                return cls(path, names=tuple(found[:MOST_FILES]))
            return cls._of_file(path)
        except FileNotFoundError:
            folder = path.parent
            near = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
            raise LexiconFileError(path, f"no such file{did_you_mean(path.name, near)}") from None
        except OSError as error:
            raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None

    @classmethod
    def _of_file(cls, path: Path) -> Self:
        with path.open("rb") as file:
            data = file.read(START_SIZE)
        if data.startswith(ZIP_START):
            return cls(path, names=_names_in_zip(path))
        if not data.startswith((GZIP_START, BZIP2_START)):
            return cls(path, data)
        unpack = gzip.open if data.startswith(GZIP_START) else bz2.open
        try:
            with unpack(path) as plain:
                return cls(path, plain.read(START_SIZE))
        except (EOFError, OSError, ValueError, zlib.error):
            return cls(path)  # reading the file reports the problem


def _names_in_zip(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(Path(name).name for name in archive.namelist())
    except ZIP_ERRORS:
        return ()
    return tuple(names[:MOST_FILES])
