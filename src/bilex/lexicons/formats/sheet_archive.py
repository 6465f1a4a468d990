"""The XML files inside a spreadsheet, which is a zip archive that is not trusted.

A few bytes of an archive can expand to gigabytes. Therefore nothing is read whole: XML is parsed
while it is decompressed, and a file that expands too much is an error. Document types and entities
are errors, too.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Generic, NoReturn, TypeVar
from xml.parsers import expat

from bilex.errors import DictionaryFileError
from bilex.lexicons.formats.table_rows import TableRow

CHUNK = 2**16

LARGEST_FILE = 2**29
"""Bytes of one file in the archive; a million rows have about a third of that."""

SMALL, LARGEST_EXPANSION = 2**23, 100
"""Bytes that any archive may expand to, and the largest expansion factor of larger ones."""

LONGEST_CELL = 100_000
"""Characters; a spreadsheet program allows a third of that."""

MOST_COLUMNS = 1_000
"""A cell further to the right is an error: a dictionary has a few columns."""

Item = TypeVar("Item")

_BREAKS = re.compile("[\t\n\r\0]+")
"""Line breaks and tabs in a cell become spaces."""


class SheetArchive:
    """An open spreadsheet; problems in it raise a `DictionaryFileError`."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self._archive = archive
        self._size = path.stat().st_size
        self.names = frozenset(archive.namelist())

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[SheetArchive]:
        """Open a file; close it afterwards."""
        with _explained(path), zipfile.ZipFile(path) as archive:
            yield cls(path, archive)

    def parsed(self, name: str, parser: SheetParser[Item]) -> Iterator[Item]:
        """Yield what a parser finds in one file of the archive."""
        if name not in self.names:
            raise DictionaryFileError(
                self.path, f"has no {name} inside: it is damaged, or not a spreadsheet"
            )
        for chunk in self._chunks(name):
            yield from parser.feed(self.path, chunk)
        yield from parser.feed(self.path, b"", is_last=True)

    def _chunks(self, name: str) -> Iterator[bytes]:
        allowed = min(LARGEST_FILE, max(SMALL, LARGEST_EXPANSION * self._size))
        read = 0
        with _explained(self.path), self._archive.open(name) as file:
            while chunk := file.read(CHUNK):
                read += len(chunk)
                if read > allowed:
                    raise DictionaryFileError(
                        self.path, f"{name} inside has more than {allowed:,} bytes: it is damaged"
                    )
                yield chunk


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Convert the errors of the zip library to `DictionaryFileError`."""
    try:
        yield
    except DictionaryFileError:
        raise
    except (
        zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError,
        ValueError, OverflowError,
    ) as error:  # fmt: skip
        raise damaged(path, error) from None
    except OSError as error:
        raise DictionaryFileError(path, f"cannot be read: {error.strerror or error}") from None


class SheetParser(Generic[Item]):
    """Parses XML in pieces; subclasses say what to do with elements, and `emit` what they find."""

    def __init__(self) -> None:
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self.text
        self._expat.StartDoctypeDeclHandler = _refuse
        self._expat.EntityDeclHandler = _refuse
        self._found: deque[Item] = deque()

    def feed(self, path: Path, data: bytes, *, is_last: bool = False) -> Iterator[Item]:
        """Parse a piece, and yield what is complete."""
        try:
            self._expat.Parse(data, is_last)
        except (expat.ExpatError, SheetProblem, LookupError, ValueError) as error:
            raise damaged(path, error) from None
        while self._found:
            yield self._found.popleft()

    def emit(self, item: Item) -> None:
        """Add a complete item to the results."""
        self._found.append(item)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element; names are without the prefix of a namespace."""

    def end(self, name: str) -> None:
        """End an element."""

    def text(self, data: str) -> None:
        """Take a piece of the text of an element."""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if ":" in "".join(attributes):
            attributes = {_local(key): value for key, value in attributes.items()}
        self.start(_local(name), attributes)

    def _end(self, name: str) -> None:
        self.end(_local(name))


class SheetProblem(Exception):
    """Why a spreadsheet cannot be read."""


class RowCells:
    """The cells of one row while it is read; those between others are empty."""

    def __init__(self) -> None:
        self._cells: list[str] = []

    def put(self, place: int, text: str) -> None:
        """Set the text of a cell, from 0."""
        if not text:
            return
        if not 0 <= place < MOST_COLUMNS:
            raise SheetProblem(f"has a cell in column {place + 1:,}, expected a few columns")
        if len(text) > LONGEST_CELL:
            raise SheetProblem(f"has a cell of {len(text):,} characters, expected a word")
        self._cells += [""] * (place + 1 - len(self._cells))
        self._cells[place] = _BREAKS.sub(" ", text).strip(" ")

    def row(self, line: int) -> TableRow:
        """Return the row; one without cells is blank."""
        return TableRow(line, self._cells or [""])


def damaged(path: Path, error: BaseException) -> DictionaryFileError:
    """Return the error for a spreadsheet that cannot be read."""
    return DictionaryFileError(
        path,
        f"cannot be read as a spreadsheet ({error}): open it in a spreadsheet program and save it "
        "again",
    )


def _refuse(*_: object) -> NoReturn:
    raise SheetProblem("declares a document type or entities")


@lru_cache(maxsize=1_000)
def _local(name: str) -> str:
    return name.rpartition(":")[2]
