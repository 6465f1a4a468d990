"""Plain text in files and folders, read line by line: strict UTF-8, bounded memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Self, cast

from bilex.errors import InputFileError

OnBytes = Callable[[int, int], None]
"""Called with the bytes read so far and the size of all files."""

LONGEST_LINE = 1_000_000
"""In bytes; a longer line is read in parts, so that a file without line breaks fits in memory."""

_BYTES_BETWEEN_REPORTS = 1 << 20
_ENDINGS = (".txt", ".txt.gz", ".txt.bz2", ".txt.xz")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)

# First bytes, what kind of file has them, and what to do.
_OTHER_FILES = (
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16", "convert it to UTF-8, for example with iconv"),
    (rb"PK\x03\x04", "a zip archive or an office document", "save or unpack it as plain text"),
    (rb"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first, for example with `unzstd`"),
    (rb"%PDF-", "a PDF document", "extract its text first, for example with `pdftotext`"),
    (rb"\{\\rtf", "a rich-text document", "save it as plain text"),
    (rb"version https://git-lfs", "a Git LFS pointer", "fetch the file itself with `git lfs pull`"),
    (rb"\s*<(!doctype|html|\?xml|mediawiki)", "a web page or XML", "extract its text first"),
)


class TextLine(NamedTuple):
    """A line of a file, without its end; a very long line is split into parts of one number."""

    path: Path
    number: int  # the first line is 1
    text: str
    raw: bytes  # with its end, as in the file


@dataclass(frozen=True)
class Corpus:
    """The files of a text, in the order they are read."""

    files: tuple[Path, ...]

    @classmethod
    def of(cls, paths: Sequence[str | Path]) -> Self:
        """Collect files, and of folders all `.txt` files (also .gz, .bz2, .xz), sorted by name.

        Raises:
            InputFileError: If a path does not exist, or a folder has no such file.
        """
        files: list[Path] = []
        for path in map(Path, paths):
            files += _text_files(path) if path.is_dir() else [path]
        for file in files:
            if not file.is_file():
                raise InputFileError(file, "no such file; expected a text file or a folder of them")
        return cls(tuple(dict.fromkeys(files)))

    def lines(self, on_bytes: OnBytes | None = None) -> Iterator[TextLine]:
        r"""Yield the lines of all files; a line ends at `\n` or `\r\n`.

        Raises:
            InputFileError: If a file is not text in UTF-8, or its compression is damaged.
        """
        total = sum(file.stat().st_size for file in self.files)
        done = 0
        for file in self.files:
            yield from _lines_of(file, _Counter(done, total, on_bytes))
            done += file.stat().st_size
        if on_bytes is not None:
            on_bytes(total, total)


def _text_files(folder: Path) -> list[Path]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.name.lower().endswith(_ENDINGS)
    )
    if not found:
        raise InputFileError(
            folder, f"a folder without text; expected files that end in {', '.join(_ENDINGS)}"
        )
    return found


@dataclass
class _Counter:
    """Reports the bytes read, at intervals."""

    before: int
    total: int
    report_to: OnBytes | None
    reported: int = 0

    def update(self, position: int) -> None:
        if self.report_to is not None and position - self.reported >= _BYTES_BETWEEN_REPORTS:
            self.reported = position
            self.report_to(self.before + position, self.total)


def _lines_of(path: Path, counter: _Counter) -> Iterator[TextLine]:
    try:
        with path.open("rb") as packed, _unpacked(packed) as file:
            for number, raw in _bounded_lines(path, file):
                text = _decoded(path, number, raw)
                yield TextLine(path, number, text.removesuffix("\n").removesuffix("\r"), raw)
                counter.update(packed.tell())
    except PermissionError:
        raise InputFileError(path, "no permission to read it; change its permissions") from None


@contextmanager
def _unpacked(packed: IO[bytes]) -> Iterator[IO[bytes]]:
    start = packed.read(6)
    packed.seek(0)
    with ExitStack() as closing:
        if start.startswith(b"\x1f\x8b"):
            gzipped = gzip.GzipFile(fileobj=packed)
            yield closing.enter_context(cast("IO[bytes]", gzipped))
        elif start.startswith(b"BZh"):
            yield closing.enter_context(bz2.BZ2File(packed))
        elif start.startswith(b"\xfd7zXZ\x00"):
            yield closing.enter_context(lzma.LZMAFile(packed))
        else:
            yield packed


def _bounded_lines(path: Path, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines; those longer than `LONGEST_LINE` are cut, after a space if possible."""
    number, left_over = 1, b""
    raw = _read_line(path, file)
    _check_start(path, raw)
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    while raw:
        raw, left_over = left_over + raw, b""
        if raw.endswith(b"\n") or len(raw) < LONGEST_LINE:
            yield number, raw
            number += raw.endswith(b"\n")
        else:
            cut = raw.rfind(b" ") + 1 or _character_boundary(raw)
            yield number, raw[:cut]
            left_over = raw[cut:]
        raw = _read_line(path, file)
    if left_over:
        yield number, left_over


def _read_line(path: Path, file: IO[bytes]) -> bytes:
    try:
        return file.readline(LONGEST_LINE)
    except _DAMAGE as error:
        raise InputFileError(
            path,
            f"the compressed data is damaged or cut short ({error}); download or copy it again",
        ) from error


def _character_boundary(raw: bytes) -> int:
    """Return where the last character of the bytes begins, which may be incomplete."""
    cut = len(raw) - 1
    while cut > 1 and raw[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def _check_start(path: Path, raw: bytes) -> None:
    for pattern, found, remedy in _OTHER_FILES:
        if re.match(pattern, raw, re.IGNORECASE):
            raise InputFileError(path, f"found {found}, expected plain text; {remedy}")


def _decoded(path: Path, number: int, raw: bytes) -> str:
    if b"\0" in raw:
        raise InputFileError(path, "found binary data, expected plain text in UTF-8", line=number)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before = raw[max(error.start - 40, 0) : error.start].decode(errors="ignore")
        raise InputFileError(
            path,
            f"byte 0x{raw[error.start]:02x} after {before!r} is not UTF-8; "
            "convert the file, for example with `iconv -f latin1 -t utf-8`",
            line=number,
        ) from None
