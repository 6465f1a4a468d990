"""Text files with one row a line, read as word pairs or as dictionary entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry
from bilex.lexicons.entries import RowProblem, is_number
from bilex.lexicons.formats.entry_rules import COLUMNS, DEFAULT_ORIGIN, ORIGINS
from bilex.lexicons.formats.text_lines import FIRST_LINES, Line, is_blank, numbered_lines
from bilex.values import Entry

NUMBERS_OF_A_VECTOR = 10
"""A row with at least this many numbers after its first word is a word vector, not a pair."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How to read the lines of one text file.

    Attributes:
        pairs: Turns a line into word pairs; raises `RowProblem` if it is not valid.
        entry: Turns a line into a dictionary entry; None if the lines hold only word pairs.
        columns: The names of the columns.
        ignored_columns: Those that `pairs` does not read.
        has_header: Whether the first line names the columns.
    """

    pairs: Callable[[str], list[Entry]]
    entry: Callable[[str], DictionaryEntry] | None = None
    columns: tuple[str, ...] = ("source", "target")
    ignored_columns: tuple[str, ...] = ()
    has_header: bool = False


FindLayout = Callable[[Sequence[str]], Layout]
"""Returns the layout of a file from its first lines that are not blank; may raise `RowProblem`."""


@dataclass(frozen=True, slots=True)
class PairRows:
    """The word pairs of a file, and what was counted while reading them."""

    pairs: tuple[Entry, ...]
    columns: tuple[str, ...]
    ignored_columns: tuple[str, ...] = ()
    lines: int = 0
    blank_lines: int = 0


def read_pair_rows(path: Path, find_layout: FindLayout) -> PairRows:
    """Read all lines as word pairs.

    Raises:
        DictionaryFileError: If the file cannot be read, a line is not valid, or there is no pair.
    """
    with closing(numbered_lines(path)) as lines:
        first = list(islice(lines, FIRST_LINES))
        layout = _layout(path, first, find_layout)
        reader = _Reader(path, has_header=layout.has_header)
        pairs = tuple(chain.from_iterable(reader.rows(chain(first, lines), layout.pairs)))
    if not pairs:
        raise DictionaryFileError(path, "found a header line but no word pair below it")
    columns, ignored = layout.columns, layout.ignored_columns
    return PairRows(pairs, columns, ignored, reader.lines, reader.blank_lines)


def read_entry_rows(path: Path, find_layout: FindLayout) -> Dictionary:
    """Read all lines as dictionary entries.

    If the lines hold only word pairs, these count as seeds, unless their provenance is the name
    of an origin.

    Raises:
        DictionaryFileError: If the file cannot be read, or a line is not valid.
    """
    with closing(numbered_lines(path)) as lines:
        first = list(islice(lines, FIRST_LINES))
        layout = _layout(path, first, find_layout)
        reader = _Reader(path, has_header=layout.has_header)
        everything = chain(first, lines)
        if layout.entry is not None:
            _check_columns(path, layout.columns)
            entries = tuple(reader.rows(everything, layout.entry))
            ignored = [name for name in layout.columns if name not in COLUMNS]
            return Dictionary(entries, notes=_columns_note(ignored))
        pairs = list(chain.from_iterable(reader.rows(everything, layout.pairs)))
    notes = _columns_note(layout.ignored_columns)
    if any(pair.weight != 1 for pair in pairs):
        notes += ("weights",)
    return Dictionary(tuple(map(_entry_of_pair, pairs)), notes=notes)


def not_a_text_format(path: Path) -> DictionaryFileError:
    """Return the error for a file that is in none of the text formats.

    Raises:
        DictionaryFileError: If the file is not text.
    """
    with closing(numbered_lines(path)) as lines:
        filled = _filled(path, list(islice(lines, FIRST_LINES)))
    return DictionaryFileError(
        path,
        f"found one column ({filled[0].text[:40]!r}), expected a source and a target word on each "
        "line, separated by a tab",
        line=filled[0].number,
    )


class _Reader:
    """Turns lines into rows and counts them."""

    def __init__(self, path: Path, *, has_header: bool) -> None:
        self.path = path
        self.header_is_next = has_header
        self.lines = 0
        self.blank_lines = 0

    def rows(self, lines: Iterator[Line], parse: Callable[[str], Row]) -> Iterator[Row]:
        """Yield a row for each line but the header and blank lines."""
        for line in lines:
            self.lines = line.number
            if is_blank(line):
                self.blank_lines += 1
            elif self.header_is_next:
                self.header_is_next = False
            else:
                try:
                    yield parse(line.text)
                except RowProblem as problem:
                    raise DictionaryFileError(self.path, str(problem), line=line.number) from None


def _layout(path: Path, first: list[Line], find_layout: FindLayout) -> Layout:
    filled = _filled(path, first)
    texts = [line.text for line in filled]
    try:
        _refuse_vectors(texts)
        return find_layout(texts)
    except RowProblem as problem:
        raise DictionaryFileError(path, str(problem), line=filled[0].number) from None


def _filled(path: Path, first: list[Line]) -> list[Line]:
    filled = [line for line in first if not is_blank(line)]
    if not filled:
        raise DictionaryFileError(path, "the file is empty, expected lines with one word pair each")
    return filled


def _refuse_vectors(texts: Sequence[str]) -> None:
    for text in texts[:3]:  # the first line may be a word2vec header
        numbers = text.replace("\t", " ").split(" ")[1:]
        if len(numbers) >= NUMBERS_OF_A_VECTOR and all(
            is_number(number) for number in numbers if number
        ):
            raise RowProblem(
                f"found a word followed by {len(numbers)} numbers, which is a file of word "
                "vectors; expected word pairs: are the arguments in the right order?"
            )


def _check_columns(path: Path, names: Sequence[str]) -> None:
    for name in COLUMNS:
        if names.count(name) > 1:
            raise DictionaryFileError(path, f"the header names {names.count(name)} {name} columns")


def _columns_note(names: Sequence[str]) -> tuple[str, ...]:
    return (f"columns: {', '.join(names)}",) if names else ()


def _entry_of_pair(pair: Entry) -> DictionaryEntry:
    origin = next((name for name in ORIGINS if name == pair.provenance), DEFAULT_ORIGIN)
    return DictionaryEntry(pair.source, pair.target, origin=origin)
