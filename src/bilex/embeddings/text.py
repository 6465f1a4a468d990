"""Text files of word vectors: word2vec, fastText (`.vec`) and GloVe, with or without a header.

The file is cut into blocks of whole lines, which are parsed in parallel threads.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from bilex.embeddings.collector import Collector, Floats, Selection, decode_words
from bilex.embeddings.compression import ByteStream
from bilex.embeddings.decimals import PADDING, Bytes, Positions, parse_decimals
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace, Progress

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEADER = re.compile(rb"(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*(?:\n|\Z)")
"""The optional first line: the number of words and the dimension."""

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]+)?|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
_BLOCK = 1 << 18  # bytes; a block and its intermediate arrays fit the cache of a processor core
_LONGEST_LINE = 1 << 26
_FLOAT32_OVERFLOW = 2.0**128 - 2.0**103  # from this value on, float32 rounds to infinity


@dataclass(frozen=True)
class TextBlock:
    """Whole lines, each ended by a line feed, and the line number of the first."""

    path: Path
    lines: bytes
    first_line: int


@dataclass(frozen=True)
class ParsedBlock:
    """The words of a block and their vectors."""

    words: list[str]
    rows: Floats  # (n_words, dim)
    first_line: int


class _BadRowError(Exception):
    """The problem with one line; becomes a `VectorFileError` with the line number."""


def read_text(
    stream: ByteStream, selection: Selection, on_progress: Progress | None = None
) -> EmbeddingSpace:
    """Read lines of a word and its numbers; stop when the limit is reached.

    A first line of two whole numbers is a header. Without a header, the dimension is taken from
    the first line, so its word must not contain spaces.
    """
    blocks = _blocks(stream)
    first = next(blocks, None)
    if first is None:
        raise VectorFileError(
            stream.path, "the file is empty; expected word vectors: download or copy it again"
        )
    first, declared, dim = _take_header(first)
    collector = Collector(stream.path, selection)
    for parsed in _parse_all(first, blocks, dim):
        _check_count(stream, declared, collector.offered + len(parsed.words), at_end=False)
        if declared is None:
            _check_extra_numbers(stream, parsed, dim)
        collector.add(parsed.words, parsed.rows)
        if on_progress is not None:
            on_progress(stream.position, stream.total_bytes)
        if collector.full:
            break
    else:
        _check_count(stream, declared, collector.offered, at_end=True)
        declared = collector.offered
    return collector.finish(format="text", compression=stream.compression, words_in_file=declared)


def _take_header(block: TextBlock) -> tuple[TextBlock, int | None, int]:
    """Return the block without its header, the declared number of words and the dimension."""
    lines = block.lines.removeprefix(BYTE_ORDER_MARK)
    header = HEADER.fullmatch(lines[: lines.index(b"\n") + 1])
    if header is None:
        dim = len(lines[: lines.index(b"\n")].split()) - 1
        if dim < 1:
            raise VectorFileError(
                block.path,
                "found a single field; expected a word and its numbers, separated by spaces: "
                "is this a file of word vectors?",
                line=block.first_line,
            )
        return TextBlock(block.path, lines, block.first_line), None, dim
    declared, dim = int(header[1]), int(header[2])
    rows = lines[header.end() :]
    if dim < 1 or (declared < 1 and rows):
        raise VectorFileError(
            block.path,
            f"the header says {declared} words of {dim} dimensions; "
            "expected two numbers above zero: fix the first line",
            line=block.first_line,
        )
    if not rows:
        raise VectorFileError(
            block.path,
            f"found a header that declares {declared} words, and nothing after it; "
            "the download is incomplete: fetch the file again",
            line=block.first_line,
        )
    return TextBlock(block.path, rows, block.first_line + 1), declared, dim


def _check_count(stream: ByteStream, declared: int | None, found: int, *, at_end: bool) -> None:
    if declared is None or found == declared or (found < declared and not at_end):
        return
    if found < declared:
        raise VectorFileError(
            stream.path,
            f"found {found} words, but the header declares {declared}: the file is cut short; "
            "download it again or correct its first line",
        )
    raise VectorFileError(
        stream.path,
        f"found more words than the {declared} that the header declares; "
        "correct the first line, or remove it if the file never had a header",
    )


def _check_extra_numbers(stream: ByteStream, parsed: ParsedBlock, dim: int) -> None:
    """Refuse words that end in a number: without a header, the row is probably too long."""
    for line, word in enumerate(parsed.words, start=parsed.first_line):
        if " " in word and _NUMBER.fullmatch(word.rpartition(" ")[2]):
            raise VectorFileError(
                stream.path,
                f"found more numbers than the {dim} of the first line; if the word is meant to "
                f"be {word!r}, add a first line with the number of words and the dimension",
                line=line,
            )


def _parse_all(first: TextBlock, others: Iterator[TextBlock], dim: int) -> Iterator[ParsedBlock]:
    """Parse blocks in order, in threads: array operations release the interpreter lock."""
    workers = max(1, min(8, torch.get_num_threads()))
    waiting: deque[Future[ParsedBlock]] = deque()
    yield parse_block(first, dim)
    with ThreadPoolExecutor(workers) as pool:
        try:
            for block in others:
                waiting.append(pool.submit(parse_block, block, dim))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _blocks(stream: ByteStream) -> Iterator[TextBlock]:
    """Cut the stream into blocks of whole lines; skip blank lines at the end of the file."""
    line, rest = 1, b""
    while True:
        piece = stream.read(_BLOCK)
        rest += piece
        if not piece:
            break
        # Hold back blank lines until something follows them.
        content = len(rest[: rest.rfind(b"\n") + 1].rstrip(b"\n\r "))
        cut = rest.find(b"\n", content) + 1
        if content and cut:
            yield TextBlock(stream.path, rest[:cut], line)
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
        if len(rest) > _LONGEST_LINE:
            raise VectorFileError(
                stream.path,
                f"found more than {_LONGEST_LINE >> 20} MiB without a line break; "
                "expected a line for each word: is this a text file of word vectors?",
                line=line,
            )
    rest = rest.rstrip(b"\n\r ")
    if rest:
        yield TextBlock(stream.path, rest + b"\n", line)


def parse_block(block: TextBlock, dim: int) -> ParsedBlock:
    """Parse the lines; the last `dim` fields of each are its vector, the rest is the word.

    Raises:
        VectorFileError: For the first line that cannot be parsed.
    """
    text, breaks = _scan(block.lines)
    if np.isin(text[breaks - 1], (ord(" "), ord("\r"))).any():
        text, breaks = _scan(block.lines.replace(b"\r\n", b"\n").replace(b" \n", b"\n"))
    starts = np.concatenate([[PADDING], breaks[:-1] + 1])
    _check_length(block, dim, len(breaks))
    plain, bounds = _number_bounds(text, breaks, dim)
    failures: dict[int, str] = {}
    rows = np.empty((len(breaks), dim), dtype=np.float32)
    rows[plain], uneven = _parse_plain_rows(text, plain, bounds, failures)
    words = [b""] * len(breaks)
    for row, start, end in zip(plain.tolist(), starts[plain], bounds[:, 0], strict=True):
        words[row] = text[start:end].tobytes()
    for row in sorted({*range(len(breaks))}.difference(plain.tolist()) | uneven):
        try:
            words[row], rows[row] = _parse_row(text[starts[row] : breaks[row]].tobytes(), dim)
        except _BadRowError as error:
            failures[row] = str(error)
    decoded = _decode(words, failures)
    if failures:
        row = min(failures)
        raise VectorFileError(block.path, failures[row], line=block.first_line + row)
    return ParsedBlock(decoded, rows, block.first_line)


def _check_length(block: TextBlock, dim: int, n_lines: int) -> None:
    """Raise if the lines are too short for so many numbers, before allocating memory for them."""
    if 2 * dim * n_lines <= len(block.lines):
        return
    for row, line in enumerate(block.lines.split(b"\n")):
        try:
            _parse_row(line, dim)
        except _BadRowError as error:
            raise VectorFileError(block.path, str(error), line=block.first_line + row) from None


def _scan(lines: bytes) -> tuple[Bytes, Positions]:
    """Return the text with padding on both sides, and the positions of the line ends."""
    text = np.full(len(lines) + 2 * PADDING, ord("0"), dtype=np.uint8)
    text[PADDING:-PADDING] = np.frombuffer(lines, dtype=np.uint8)
    return text, np.flatnonzero(text == ord("\n"))


def _number_bounds(text: Bytes, breaks: Positions, dim: int) -> tuple[Positions, Positions]:
    """Return the rows of lines with enough spaces, and the separators around their numbers."""
    separators = np.flatnonzero((text == ord(" ")) | (text == ord("\n")))
    last = np.searchsorted(separators, breaks)
    counts = np.diff(last, prepend=-1)
    if (counts == dim + 1).all():
        return np.arange(len(breaks)), separators.reshape(-1, dim + 1)
    plain = np.flatnonzero(counts > dim)
    return plain, separators[last[plain, None] + np.arange(-dim, 1)]


def _parse_plain_rows(
    text: Bytes, plain: Positions, bounds: Positions, failures: dict[int, str]
) -> tuple[Floats, set[int]]:
    """Parse all numbers at once; use Python for those that are not plain decimals.

    Returns:
        The values, and the rows with repeated spaces, which are still to be parsed.
    """
    uneven: set[int] = set()
    dim = bounds.shape[1] - 1
    points = _points(text, bounds)
    values, fine = parse_decimals(
        text, bounds[:, :-1].ravel(), points.ravel(), bounds[:, 1:].ravel()
    )
    values, odd = values.reshape(-1, dim), ~fine.reshape(-1, dim)
    for row in np.flatnonzero(odd.any(axis=1)).tolist():
        fields = text[bounds[row, 0] + 1 : bounds[row, -1]].tobytes().split(b" ")
        columns = np.flatnonzero(odd[row])
        if b"" in fields:
            uneven.add(int(plain[row]))
            continue
        try:
            values[row, columns] = _numbers([fields[column] for column in columns.tolist()])
        except _BadRowError as error:
            failures[int(plain[row])] = str(error)
    return values, uneven


def _points(text: Bytes, bounds: Positions) -> Positions:
    """Return the position of each number's decimal point; wrong for numbers without one."""
    dim = bounds.shape[1] - 1
    points = np.flatnonzero(text == ord("."))
    first = np.searchsorted(points, bounds[:, 0])
    counts = np.searchsorted(points, bounds[:, -1]) - first
    if len(points) == bounds.shape[0] * dim and (counts == dim).all():
        return points.reshape(-1, dim)
    # Some numbers have no point: search for the point of each number. Slower, but rare.
    found = np.empty((len(bounds), dim), dtype=np.int64)
    points = np.append(points, 0)
    even = counts == dim
    found[even] = points[first[even, None] + np.arange(dim)]
    uneven = np.searchsorted(points[:-1], bounds[~even, :-1])
    found[~even] = points[uneven]
    return found


def _parse_row(line: bytes, dim: int) -> tuple[bytes, npt.NDArray[np.float64]]:
    """Parse one line by splitting it: tabs or several spaces may separate the numbers."""
    if not line.strip():
        raise _BadRowError("found a blank line between rows; remove it")
    fields = line.rsplit(maxsplit=dim)
    if len(fields) <= dim:
        raise _BadRowError(
            f"found {len(fields) - 1} numbers after the word, expected {dim}; "
            "the line is cut short or the file is damaged"
        )
    return fields[0], _numbers(fields[1:])


def _numbers(fields: list[bytes]) -> npt.NDArray[np.float64]:
    try:
        values = np.array(list(map(float, fields)))
    except ValueError:
        values = np.array([math.nan])
    # Python also accepts 1_000; other tools do not.
    if (np.abs(values) < _FLOAT32_OVERFLOW).all() and b"_" not in b"".join(fields):
        return values
    shown = next(field for field in fields if not _is_number(field))[:40]
    raise _BadRowError(
        f"found {shown.decode('utf-8', 'backslashreplace')!r} where a finite number was expected; "
        "fix the line or remove it"
    )


def _is_number(field: bytes) -> bool:
    try:
        return abs(float(field)) < _FLOAT32_OVERFLOW and b"_" not in field
    except ValueError:
        return False


def _decode(words: list[bytes], failures: dict[int, str]) -> list[str]:
    """Decode the words; add those that are empty or not UTF-8 to `failures`."""
    for row, word in enumerate(words):
        if not word:
            failures.setdefault(row, "found no word before the numbers; remove the line")
    try:
        return decode_words(words)
    except UnicodeDecodeError:
        pass
    for row, word in enumerate(words):
        try:
            word.decode()
        except UnicodeDecodeError as error:
            problem = f"found byte 0x{word[error.start]:02x} that is not UTF-8 in the word"
            failures[row] = f"{problem}; convert the file to UTF-8, for example with iconv"
    return []
