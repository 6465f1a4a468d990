"""The numbered lines of a text file."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, cast

from bilex.errors import DictionaryFileError
from bilex.lexicons.encodings import (
    UTF_8,
    check_utf8,
    guess_encoding,
    marked_encoding,
    name_of,
)

LONGEST_LINE = 1_000_000
"""In bytes; no word pair needs more, and a wrong file must not fill the memory."""

CHUNK = 2**20
"""Bytes read at once to find the encoding."""

FIRST_LINES = 100
"""How many lines decide the format of a text file and its columns."""

GZIP_START = b"\x1f\x8b"

_FOREIGN_STARTS = (
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\xd0\xcf\x11\xe0", "a workbook of Excel 97 (.xls)", "save it as .xlsx"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first, for example with `unxz`"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first, for example with `unzstd`"),
    (b"BZh91AY&SY", "a bzip2 archive", "unpack it first, for example with `bunzip2`"),
    (b"%PDF", "a PDF document", "copy its word pairs into a tab-separated text file"),
    (b"PAR1\x15", "a Parquet file", "leave out the name of the format, or give parquet"),
    (b"version https://git-lfs", "a Git LFS pointer", "fetch the real file with `git lfs pull`"),
)
_WEB_PAGE_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body")
_XML_STARTS = (b"<?xml", b"<!doctype", b"<tbx", b"<martif", b"<tei")


class Line(NamedTuple):
    """One line of a file, without its end; the first has number 1."""

    number: int
    text: str


def numbered_lines(path: Path, encoding: str | None = None) -> Generator[Line, None, None]:
    r"""Yield the lines of a plain or gzipped text file.

    A line ends at `\n` or `\r\n`, nowhere else: words may contain U+2028 and no-break spaces. A
    byte-order mark at the start is dropped.

    Args:
        path: The file.
        encoding: Its encoding, as `text_encoding` found it; found first if None.

    Raises:
        DictionaryFileError: If the file cannot be read, or is not text.
    """
    if encoding is None:
        encoding = text_encoding(path)
    with _opened(path) as plain:
        if encoding == UTF_8:
            yield from _decoded(path, plain)
        else:
            yield from _transcoded(path, plain, encoding)


def text_encoding(path: Path) -> str:
    """Return the encoding of a plain or gzipped text file, as Python names it.

    Raises:
        DictionaryFileError: If the file cannot be read.
    """
    with _opened(path) as plain:
        start = plain.read(CHUNK)
        if any(start.startswith(mark) for mark, _, _ in _FOREIGN_STARTS):
            return UTF_8  # reading it raises an error that names the format
        return encoding_of(start, iter(partial(plain.read, CHUNK), b""))


def encoding_of(start: bytes, more: Iterator[bytes] = iter(())) -> str:  # noqa: B008 - empty
    """Return the encoding of a text by its start; UTF-8 if it is damaged or binary."""
    marked = marked_encoding(start)
    if marked is not None:
        return marked
    if b"\0" in start:
        return UTF_8
    found = check_utf8(_all(start, more))
    return UTF_8 if found is None or found.is_damaged else guess_encoding(found.sample)


def _all(start: bytes, more: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from more


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, decompressed if it is gzipped; problems raise a `DictionaryFileError`."""
    if path.is_dir():
        raise DictionaryFileError(path, "found a folder, expected a file of word pairs")
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == GZIP_START
            file.seek(0)
            with gzip.open(file) if compressed else nullcontext(file) as plain:
                yield cast(IO[bytes], plain)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DictionaryFileError(
            path,
            f"the gzip archive is damaged or cut short ({error}): download or compress it again",
        ) from None
    except OSError as error:
        raise DictionaryFileError(path, f"cannot be read: {error.strerror or error}") from None


def is_blank(line: Line) -> bool:
    """Return whether a line holds nothing but spaces and tabs."""
    return not line.text.strip(" \t")


def is_web_page(data: bytes) -> bool:
    """Return whether a file that starts with these bytes is HTML."""
    return _markup(data).startswith(_WEB_PAGE_STARTS)


def _decoded(path: Path, file: IO[bytes]) -> Iterator[Line]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            _check_start(path, raw)
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if len(raw) > LONGEST_LINE:
            raise _too_long(path, number)
        yield Line(number, _text(path, number, raw).removesuffix("\n").removesuffix("\r"))


def _transcoded(path: Path, file: IO[bytes], encoding: str) -> Iterator[Line]:
    """Yield the lines of a file in another encoding than UTF-8."""
    number = 0
    with io.TextIOWrapper(file, encoding=encoding, newline="\n") as text:
        try:
            while line := text.readline(LONGEST_LINE + 1):
                number += 1
                if number == 1:
                    _check_start(path, line[:100].encode(UTF_8, "replace"))
                if len(line) > LONGEST_LINE:
                    raise _too_long(path, number)
                if "\0" in line:
                    raise _binary(path, number)
                yield Line(number, line.removesuffix("\n").removesuffix("\r"))
        except UnicodeError:
            raise DictionaryFileError(
                path,
                f"the file seems to be in {name_of(encoding)}, but this line is not: save it as "
                "UTF-8",
                line=number + 1,
            ) from None


def _too_long(path: Path, number: int) -> DictionaryFileError:
    return DictionaryFileError(
        path,
        f"the line is longer than {LONGEST_LINE:,} bytes, expected one word pair a line: "
        "is it a lexicon?",
        line=number,
    )


def _binary(path: Path, number: int) -> DictionaryFileError:
    return DictionaryFileError(
        path, "found binary data, expected lines of text with one word pair each", line=number
    )


def _check_start(path: Path, raw: bytes) -> None:
    for start, found, remedy in _FOREIGN_STARTS:
        if raw.startswith(start):
            raise DictionaryFileError(
                path, f"found {found}, expected a file of word pairs; {remedy}"
            )
    if is_web_page(raw):
        raise DictionaryFileError(
            path,
            "found a web page, expected a file of word pairs: the download went wrong; "
            "open the address in a browser to see what it says",
        )
    if _markup(raw).startswith(_XML_STARTS):
        raise DictionaryFileError(
            path, "found XML, expected a file of word pairs, or a dictionary in TBX, TEI or LIFT"
        )


def _markup(data: bytes) -> bytes:
    """Return the start of the content in lower case, to compare with tags."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower()


def _text(path: Path, number: int, raw: bytes) -> str:
    if b"\0" in raw:
        raise _binary(path, number)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DictionaryFileError(
            path,
            f"byte 0x{raw[error.start]:02x} after {raw[: error.start].decode()!r} is not UTF-8, "
            "which the rest of the file is: repair the line, or save the file as UTF-8",
            line=number,
        ) from None
