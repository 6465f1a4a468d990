"""The lines of large files that are not trusted: one at a time, bounded, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bilex.errors import LexiconFileError
from bilex.lexicons.formats.text_lines import GZIP_START
from bilex.lexicons.imports.start import BZIP2_START
from bilex.lexicons.imports.tally import Tally

LONGEST_LINE = 2**26
"""In bytes; the longest entries of Wiktionary and Wikidata have a few million."""

LONGEST_ROW = 2**20
"""In bytes, for a line of a table."""

BUFFER = 2**20
LINES_AT_ONCE = 256
"""Between two reports of progress."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Yield the plain bytes of a file, and the raw file whose position is the progress.

    Raises:
        LexiconFileError: If the file cannot be read, or its compression is damaged.
    """
    try:
        with path.open("rb", BUFFER) as raw:
            start = raw.read(3)
            raw.seek(0)
            if start.startswith(GZIP_START):
                plain: Any = io.BufferedReader(gzip.GzipFile(fileobj=raw), BUFFER)
            elif start == BZIP2_START:
                plain = io.BufferedReader(bz2.BZ2File(raw), BUFFER)
            else:
                plain = raw
            yield plain, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LexiconFileError(
            path, f"the archive is damaged or cut short ({error}): download it again"
        ) from None
    except OSError as error:
        if error.errno is None:  # of bzip2, which has no error class of its own
            raise LexiconFileError(
                path, f"the archive is damaged or cut short ({error}): download it again"
            ) from None
        raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None


def numbered_byte_lines(
    path: Path, tally: Tally, *, longest: int = LONGEST_LINE
) -> Generator[tuple[int, bytes], None, None]:
    r"""Yield the lines of a file with their numbers; each keeps its `\n`.

    Raises:
        LexiconFileError: If the file cannot be read, or a line is too long.
    """
    with opened(path) as (plain, raw):
        size = path.stat().st_size
        yield from bounded_lines(path, plain, longest, lambda: tally.advance(raw.tell(), size))


def bounded_lines(
    path: Path, plain: IO[bytes], longest: int, on_lines: Callable[[], None]
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the lines of an open file with their numbers; `on_lines` is called now and then."""
    number = 0
    while line := plain.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise LexiconFileError(
                path,
                f"the line is longer than {longest:,} bytes: is it a file of this resource?",
                line=number,
            )
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if number % LINES_AT_ONCE == 1:
            on_lines()
        yield number, line
    on_lines()


def text_of(path: Path, number: int, line: bytes) -> str:
    """Return a line as text, without its end.

    Raises:
        LexiconFileError: If it is not UTF-8.
    """
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise LexiconFileError(
            path,
            f"byte 0x{line[error.start]:02x} is not UTF-8: convert the file, for example with "
            "`iconv -f latin1 -t utf-8`",
            line=number,
        ) from None


def json_object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line.

    Raises:
        LexiconFileError: If there is none.
    """
    try:
        found = json.loads(text_of(path, number, line))
    except (ValueError, RecursionError) as error:
        if isinstance(error, LexiconFileError):
            raise
        raise LexiconFileError(
            path, f"not valid JSON ({error}): is the file cut short?", line=number
        ) from None
    if not isinstance(found, dict):
        raise LexiconFileError(path, "expected one JSON object a line", line=number)
    return found


def texts(value: object) -> list[str]:
    """Return a text, or the texts in a list; other values are left out."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, Any]]:
    """Return the JSON objects in a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
