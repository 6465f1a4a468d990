"""Turning a block of lines `word number … number` into words and rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bilex.embeddings.collecting import Floats, decode_words
from bilex.embeddings.decimals import PADDING, Bytes, Positions, parse_decimals
from bilex.errors import VectorFileError

_FLOAT32_OVERFLOW = 2.0**128 - 2.0**103  # from here on, the nearest float32 is infinity


@dataclass(frozen=True)
class TextBlock:
    """Whole lines, each ended by a line feed, and the number of the first."""

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
    """What is wrong with one line; becomes a `VectorFileError` with its number."""


def parse_block(block: TextBlock, dim: int) -> ParsedBlock:
    """Parse the lines; the last `dim` fields of each are its vector, the rest is the word.

    Raises:
        VectorFileError: For the first line that cannot be read so.
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
    """Make sure that the lines can hold so many numbers, before making room for them."""
    if 2 * dim * n_lines <= len(block.lines):
        return
    for row, line in enumerate(block.lines.split(b"\n")):
        try:
            _parse_row(line, dim)
        except _BadRowError as error:
            raise VectorFileError(block.path, str(error), line=block.first_line + row) from None


def _scan(lines: bytes) -> tuple[Bytes, Positions]:
    """Return the text with padding around it, and where its lines end."""
    text = np.full(len(lines) + 2 * PADDING, ord("0"), dtype=np.uint8)
    text[PADDING:-PADDING] = np.frombuffer(lines, dtype=np.uint8)
    return text, np.flatnonzero(text == ord("\n"))


def _number_bounds(text: Bytes, breaks: Positions, dim: int) -> tuple[Positions, Positions]:
    """Find the lines with enough spaces: their rows, and the separators around their numbers."""
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
    """Parse the numbers of rows in one go, and Python's way those that are not plain decimals.

    Returns:
        The rows, and the numbers of those with several spaces together, still to be parsed.
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
    """Return where the decimal point of each number should be; wrong for odd rows."""
    dim = bounds.shape[1] - 1
    points = np.flatnonzero(text == ord("."))
    first = np.searchsorted(points, bounds[:, 0])
    counts = np.searchsorted(points, bounds[:, -1]) - first
    if len(points) == bounds.shape[0] * dim and (counts == dim).all():
        return points.reshape(-1, dim)
    # Where a number has no point, look for each number's own point: slower, but rare.
    found = np.empty((len(bounds), dim), dtype=np.int64)
    points = np.append(points, 0)
    even = counts == dim
    found[even] = points[first[even, None] + np.arange(dim)]
    uneven = np.searchsorted(points[:-1], bounds[~even, :-1])
    found[~even] = points[uneven]
    return found


def _parse_row(line: bytes, dim: int) -> tuple[bytes, npt.NDArray[np.float64]]:
    """Parse one line by splitting it: numbers may be apart by tabs or several spaces."""
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
    # Python also reads 1_000, but nobody else does.
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
    """Decode the words, noting those that are empty or not UTF-8."""
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
