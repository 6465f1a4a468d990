"""Text files with one row per line, read as word pairs or as dictionary entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry
from bilex.lexicons.encodings import name_of
from bilex.lexicons.entries import RowProblem, is_number
from bilex.lexicons.formats.pair_rows import PairRows, RowReader, entry_of_pair
from bilex.lexicons.formats.text_lines import (
    FIRST_LINES,
    Line,
    is_blank,
    numbered_lines,
    text_encoding,
)
from bilex.lexicons.left_out import COMMENT
from bilex.values import Entry

NUMBERS_OF_A_VECTOR = 10
"""A row with at least this many numbers after its first word is a word vector, not a pair."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How to read the lines of one text file.

    Attributes:
        pairs: Turns a line into word pairs; raises `RowProblem` if it is not valid, `RowLeftOut`
            if it is not used.
        entry: Turns a line into a dictionary entry; None if the lines hold only word pairs.
        columns: The names of the columns.
        ignored_columns: Those that `pairs` does not read.
        has_header: Whether the first line names the columns.
        is_comment: Whether a line is a comment; None if there are no comments.
    """

    pairs: Callable[[str], list[Entry]]
    entry: Callable[[str], DictionaryEntry] | None = None
    columns: tuple[str, ...] = ("source", "target")
    ignored_columns: tuple[str, ...] = ()
    has_header: bool = False
    is_comment: Callable[[str], bool] | None = None


FindLayout = Callable[[Sequence[str]], Layout]
"""Returns the layout of a file from its first lines that are not blank; may raise `RowProblem`."""


def read_pair_rows(path: Path, find_layout: FindLayout) -> PairRows:
    """Read all lines as word pairs.

    Raises:
        DictionaryFileError: If the file cannot be read, a line is not valid, or there is no pair.
    """
    encoding = text_encoding(path)
    with closing(numbered_lines(path, encoding)) as lines:
        first = list(islice(lines, FIRST_LINES))
        layout = _layout(path, first, find_layout)
        reader = RowReader(path)
        rows = _parsed(reader, chain(first, lines), layout, layout.pairs)
        found = [(line, pair) for line, pairs in rows for pair in pairs]
    reader.require_pairs(len(found))
    return PairRows(
        tuple(pair for _, pair in found),
        columns=layout.columns,
        ignored_columns=layout.ignored_columns,
        lines=reader.lines,
        blank_lines=reader.blank_lines,
        rows=reader.rows,
        encoding=name_of(encoding),
        left_out=tuple(reader.left_out),
        entry_lines=tuple(line for line, _ in found),
    )


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
        if layout.entry is not None:
            reader = RowReader(path)
            rows = _parsed(reader, chain(first, lines), layout, layout.entry)
            return Dictionary(tuple(entry for _, entry in rows), notes=reader.notes())
    found = read_pair_rows(path, find_layout)
    return Dictionary(tuple(map(entry_of_pair, found.pairs)), notes=found.left_out_notes())


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


def refuse_vectors(texts: Sequence[str]) -> None:
    """Raise a `RowProblem` if the first lines of a file are those of word vectors."""
    for text in texts[:3]:  # the first line may be a word2vec header
        numbers = text.replace("\t", " ").split(" ")[1:]
        if len(numbers) >= NUMBERS_OF_A_VECTOR and all(
            is_number(number) for number in numbers if number
        ):
            raise RowProblem(
                f"found a word followed by {len(numbers)} numbers, which is a file of word "
                "vectors; expected word pairs: are the arguments in the right order?"
            )


def _parsed(
    reader: RowReader, lines: Iterable[Line], layout: Layout, parse: Callable[[str], Row]
) -> Iterator[tuple[int, Row]]:
    """Yield the content of each line except the header, blank lines and comments."""
    header_is_next = layout.has_header
    for line in lines:
        reader.lines = line.number
        if is_blank(line):
            reader.blank_lines += 1
        elif layout.is_comment is not None and layout.is_comment(line.text):
            reader.leave_out(line.number, COMMENT, line.text)
        elif header_is_next:
            header_is_next = False
        else:
            found = reader.parsed(line.number, line.text, parse)
            if found is not None:
                yield line.number, found


def _layout(path: Path, first: list[Line], find_layout: FindLayout) -> Layout:
    filled = _filled(path, first)
    texts = [line.text for line in filled]
    try:
        refuse_vectors(texts)
        return find_layout(texts)
    except RowProblem as problem:
        raise DictionaryFileError(path, str(problem), line=filled[0].number) from None


def _filled(path: Path, first: list[Line]) -> list[Line]:
    filled = [line for line in first if not is_blank(line)]
    if not filled:
        raise DictionaryFileError(path, "the file is empty, expected lines with one word pair each")
    return filled
