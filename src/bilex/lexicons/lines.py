"""A lexicon file as numbered lines of text, or a clear word on why it is none."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Generator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, NamedTuple

from bilex.errors import LexiconFileError
from bilex.registry import did_you_mean

LONGEST_LINE = 1_000_000
"""In bytes; no word pair needs more, and a wrong file must not fill the memory."""

GZIP_START = b"\x1f\x8b"

_FOREIGN_STARTS = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet", "export it as tab-separated text"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first, for example with `unxz`"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first, for example with `unzstd`"),
    (b"BZh91AY&SY", "a bzip2 archive", "unpack it first, for example with `bunzip2`"),
    (b"%PDF", "a PDF document", "copy its word pairs into a tab-separated text file"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"PAR1\x15", "a Parquet file", "turn it into pairs with `bilex export FILE seeds.tsv`"),
    (b"version https://git-lfs", "a Git LFS pointer", "fetch the real file with `git lfs pull`"),
)
_WEB_PAGE_STARTS = ("<!doctype html", "<html", "<head", "<body")
_XML_STARTS = ("<?xml", "<!doctype", "<tbx", "<martif", "<tei")


class Line(NamedTuple):
    """One line of a file, counted from 1, without its end."""

    number: int
    text: str


def numbered_lines(path: Path) -> Generator[Line, None, None]:
    r"""Yield the lines of a plain or gzipped UTF-8 file.

    A line ends at `\n` or `\r\n`, nowhere else: words may hold U+2028 and no-break spaces. A
    byte-order mark at the start is dropped.

    Raises:
        LexiconFileError: If the file cannot be read, or is not text in UTF-8.
    """
    if path.is_dir():
        cure = "; `bilex export FOLDER seeds.tsv` turns it into pairs" if _is_stardict(path) else ""
        raise LexiconFileError(path, f"found a folder, expected a file of word pairs{cure}")
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP_START
            file.seek(0)
            with gzip.open(file) if zipped else nullcontext(file) as plain:
                yield from _decoded(path, plain)
    except FileNotFoundError:
        raise LexiconFileError(path, f"no such file{_similar_name(path)}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LexiconFileError(
            path,
            f"the gzip archive is damaged or cut short ({error}): download or compress it again",
        ) from None
    except OSError as error:
        raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None


def _decoded(path: Path, file: IO[bytes] | gzip.GzipFile) -> Generator[Line, None, None]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            _check_start(path, raw)
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if len(raw) > LONGEST_LINE:
            raise LexiconFileError(
                path,
                f"the line is longer than {LONGEST_LINE:,} bytes, expected one word pair a line: "
                "is it a lexicon?",
                line=number,
            )
        yield Line(number, _text(path, number, raw).removesuffix("\n").removesuffix("\r"))


def _check_start(path: Path, raw: bytes) -> None:
    for start, found, cure in _FOREIGN_STARTS:
        if raw.startswith(start):
            raise LexiconFileError(path, f"found {found}, expected a file of word pairs; {cure}")
    text = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower()
    if text.decode("latin-1").startswith(_WEB_PAGE_STARTS):
        raise LexiconFileError(
            path,
            "found a web page, expected a file of word pairs: the download went wrong; "
            "open the address in a browser to see what it says",
        )
    if text.decode("latin-1").startswith(_XML_STARTS):
        raise LexiconFileError(
            path,
            "found XML, expected a file of word pairs: `bilex export FILE seeds.tsv` turns a "
            "dictionary in TBX or TEI into pairs",
        )


def _text(path: Path, number: int, raw: bytes) -> str:
    if b"\0" in raw:
        raise LexiconFileError(
            path,
            "found binary data, expected lines of text with one word pair each",
            line=number,
        )
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise LexiconFileError(
            path,
            f"byte 0x{raw[error.start]:02x} after {raw[: error.start].decode()!r} is not UTF-8; "
            "convert the file, for example with `iconv -f latin1 -t utf-8`",
            line=number,
        ) from None


def _is_stardict(folder: Path) -> bool:
    return any(folder.glob("*.ifo"))


def _similar_name(path: Path) -> str:
    if not path.parent.is_dir():
        return f", and no folder {path.parent} either"
    return did_you_mean(path.name, [entry.name for entry in path.parent.iterdir()])
