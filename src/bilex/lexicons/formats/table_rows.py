"""Tables, as text or in a spreadsheet, read as word pairs or as dictionary entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from bilex.errors import DictionaryFileError
from bilex.lexicons.cells import CellSplitter
from bilex.lexicons.columns import ColumnChoice, Columns, find_columns
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry
from bilex.lexicons.entries import (
    RowLeftOut,
    RowProblem,
    has_decimal_comma,
    make_pairs,
    parse_weight,
)
from bilex.lexicons.formats.entry_rules import COLUMNS, MODEL_FIELDS, entry_of
from bilex.lexicons.formats.pair_rows import PairRows, RowReader, entry_of_pair
from bilex.lexicons.left_out import COMMENT, NO_SOURCE, NO_TRANSLATION
from bilex.values import Entry

SAMPLE_ROWS = 1_000
"""How many rows decide what the columns are."""

OWN_COLUMNS = {"source", "target", "weight", "provenance"}
"""Those of a lexicon that bilex wrote: in such a file each cell is one word."""

REVIEWS = {
    **dict.fromkeys(("ok", "right", "correct", "yes", "✓"), "reviewed"),
    **dict.fromkeys(("wrong", "incorrect", "no"), "rejected"),
    **dict.fromkeys(("", "unsure", "?"), ""),
}
"""What a reviewer may write, and the origin of the pair; empty means undecided."""

REPEATED, REPEATED_SHARE = 100, 0.02
"""A target with this many source words, and this share of the pairs, is not a translation."""

Row = TypeVar("Row")


class TableRow(NamedTuple):
    """The cells of one row, and its line in the file."""

    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, as they are read.

    Attributes:
        rows: The rows; blank ones are among them.
        encoding: Of a text file.
        sheet: The name of the sheet in a spreadsheet.
        ragged: Whether rows without a header may differ in their number of translations.
        one_word: Whether a cell is always one word, so that none is split.
    """

    rows: Iterable[TableRow]
    encoding: str = "UTF-8"
    sheet: str = ""
    ragged: bool = False
    one_word: bool = False


ReadTable = Callable[[Path], Table]
"""Opens a table; its rows may raise a `DictionaryFileError` while they are read."""


def read_pairs(path: Path, table: Table, choice: ColumnChoice | None = None) -> PairRows:
    """Read the rows of a table as word pairs.

    Raises:
        DictionaryFileError: If the file cannot be read, a row is not valid, there is no pair, or
            the columns are not those of a lexicon.
    """
    rows = iter(table.rows)
    first = list(islice(rows, SAMPLE_ROWS))
    columns, parser = _parser(path, table, first, choice)
    reader = RowReader(path)
    parsed = _parsed(reader, _after_header(reader, chain(first, rows), columns), parser.pairs)
    found = [(line, pair) for line, pairs in parsed for pair in pairs]
    pairs = tuple(pair for _, pair in found)
    reader.require_pairs(len(pairs))
    if not columns.chosen:
        _refuse_repeats(path, pairs)
    used = columns.has_header or columns.chosen or any(columns.ignored)
    return PairRows(
        pairs,
        columns=columns.names,
        ignored_columns=tuple(name for name, _ in columns.ignored),
        lines=reader.lines,
        blank_lines=reader.blank_lines,
        rows=reader.rows,
        encoding=table.encoding,
        sheet=table.sheet,
        source_column=columns.shown[columns.source] if used else "",
        target_columns=tuple(columns.shown[i] for i in columns.targets) if used else (),
        split_cells=parser.split_cells,
        decimal_commas=parser.decimal_commas,
        reviewed=parser.reviewed,
        left_out=tuple(reader.left_out),
        entry_lines=tuple(line for line, _ in found),
        notes=tuple(_notes(columns)),
    )


def read_entries(path: Path, table: Table) -> Dictionary:
    """Read the rows of a table as dictionary entries.

    If there are only word pairs, these count as seeds, unless their provenance is the name of an
    origin.

    Raises:
        DictionaryFileError: If the file cannot be read, or a row is not valid.
    """
    rows = iter(table.rows)
    first = list(islice(rows, SAMPLE_ROWS))
    columns, parser = _parser(path, table, first, None)
    if not parser.has_details:
        found = read_pairs(path, Table(chain(first, rows), *_rest(table)))
        return Dictionary(tuple(map(entry_of_pair, found.pairs)), notes=found.left_out_notes())
    _check_columns(path, columns.names)
    reader = RowReader(path)
    everything = _after_header(reader, chain(first, rows), columns)
    entries = tuple(entry for _, entry in _parsed(reader, everything, parser.entry))
    known = {*COLUMNS, "review"}
    ignored = [
        shown
        for name, shown in zip(columns.names, columns.shown, strict=True)
        if name not in known and shown
    ]
    notes = [f"columns: {', '.join(ignored)}"] if ignored else []
    return Dictionary(entries, notes=(*notes, *reader.notes()))


def _rest(table: Table) -> tuple[str, str, bool, bool]:
    return table.encoding, table.sheet, table.ragged, table.one_word


@dataclass(slots=True)
class _Parser:
    """Turns the cells of a row into word pairs or an entry, and counts what was unusual."""

    columns: Columns
    splitters: dict[int, CellSplitter]  # of the columns whose cells may hold several words
    split_cells: int = 0
    decimal_commas: int = 0
    reviewed: int = 0
    has_details: bool = field(init=False)
    _places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.has_details = not set(MODEL_FIELDS).isdisjoint(self.columns.names)
        roles = self.columns.roles
        once = ("weight", "provenance", "review")
        self._places = {role: roles.index(role) for role in once if role in roles}

    def pairs(self, cells: list[str]) -> list[Entry]:
        """Return a word pair for each word of the source cell and of each target cell."""
        columns = self.columns
        cells = self._filled_up(cells)
        sources = self._words(columns.source, cells[columns.source])
        places = range(1, len(cells)) if columns.ragged else columns.targets
        targets = [word for place in places for word in self._words(place, cells[place])]
        if not sources:
            raise RowLeftOut(NO_SOURCE)
        if not targets:
            raise RowLeftOut(NO_TRANSLATION)
        if not self._places:  # most files, and faster
            return [pair for source in sources for pair in make_pairs(source, targets)]
        weight, provenance, review = (
            cells[self._places[role]] if role in self._places else ""
            for role in ("weight", "provenance", "review")
        )
        provenance = (review and self._reviewed_origin(review)) or provenance
        self.decimal_commas += has_decimal_comma(weight)
        number = parse_weight(weight)
        return [
            pair
            for source in sources
            for pair in make_pairs(source, targets, weight=number, provenance=provenance)
        ]

    def entry(self, cells: list[str]) -> DictionaryEntry:
        """Return the dictionary entry of one row."""
        names = self.columns.names
        if len(cells) != len(names):
            raise RowProblem(f"found {len(cells)} columns, the header has {len(names)}")
        row = {name: cell.strip(" ") for name, cell in zip(names, cells, strict=True)}
        review = row.get("review")
        if review and (origin := self._reviewed_origin(review)):
            row["origin"] = origin
        return entry_of(row["source"], row["target"], row)

    def _words(self, place: int, cell: str) -> list[str]:
        if not cell.strip(" "):
            return []
        splitter = self.splitters.get(place)
        words = [cell] if splitter is None else splitter.split(cell)
        self.split_cells += len(words) > 1
        return words

    def _reviewed_origin(self, review: str) -> str:
        review = review.strip(" ").lower()
        if self.has_details and review not in REVIEWS:  # other tables may have notes there
            raise RowProblem(f"the review is {review!r}, expected ok, wrong or unsure")
        origin = REVIEWS.get(review, "")
        self.reviewed += origin == "reviewed"
        return origin

    def _filled_up(self, cells: list[str]) -> list[str]:
        """Return as many cells as there are columns; those at the end of a row may be missing."""
        width = len(self.columns.names)
        if self.columns.ragged:
            return cells if len(cells) > 1 else [*cells, ""]
        if len(cells) == width:
            return cells
        extra = [cell for cell in cells[width:] if cell.strip(" ")]
        if extra or (len(cells) < width and self.has_details):
            expected = "the header" if self.columns.has_header else "the first row"
            raise RowProblem(
                f"found {len(cells)} columns, {expected} has {width}: a word that holds the "
                "separator must be in double quotes in a CSV file; a tab separates columns "
                "everywhere else"
            )
        return [*cells[:width], *[""] * (width - len(cells))]


def is_comment(cells: Sequence[str]) -> bool:
    """Return whether a row is a comment: a number sign, and nothing in the other cells."""
    return cells[0].lstrip().startswith("#") and not any(cell.strip() for cell in cells[1:])


def _is_blank(cells: Sequence[str]) -> bool:
    return not cells[0].strip(" \t") and not any(cell.strip(" \t") for cell in cells)


def _has_two(cells: Sequence[str]) -> bool:
    return sum(bool(cell.strip(" ")) for cell in cells) > 1


def _parser(
    path: Path, table: Table, first: Sequence[TableRow], choice: ColumnChoice | None
) -> tuple[Columns, _Parser]:
    filled = [row for row in first if not _is_blank(row.cells)]
    if not filled:
        raise DictionaryFileError(path, "the file is empty, expected lines with one word pair each")
    rows = [row for row in filled if _has_two(row.cells)]
    if not rows:
        text = filled[0].cells[0]
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise DictionaryFileError(
            path,
            f"found one column ({shown!r}), expected a source and a target word",
            line=filled[0].line,
        )
    cells = [row.cells for row in rows]
    try:
        columns = find_columns(cells, choice=choice, ragged=table.ragged)
    except RowProblem as problem:
        raise DictionaryFileError(path, str(problem), line=rows[0].line) from None
    body = cells[1:] if columns.has_header else cells
    splitters = {} if table.one_word or _is_own(columns) else _splitters(columns, body)
    return columns, _Parser(columns, splitters)


def _is_own(columns: Columns) -> bool:
    """Return whether bilex itself wrote the table, with one word in each cell."""
    if columns.chosen:
        return False
    if not columns.has_header:
        return len(columns.targets) > 1  # further translations have cells of their own
    names = [name.lower() for name in columns.shown]
    is_lexicon = names[:2] == ["source", "target"] and set(names) <= OWN_COLUMNS
    return is_lexicon or not set(MODEL_FIELDS).isdisjoint(names)


def _splitters(columns: Columns, rows: Sequence[Sequence[str]]) -> dict[int, CellSplitter]:
    return {
        place: CellSplitter.for_column(row[place] for row in rows if place < len(row))
        for place in (columns.source, *columns.targets)
    }


def _after_header(
    reader: RowReader, rows: Iterable[TableRow], columns: Columns
) -> Iterator[TableRow]:
    """Yield the rows with words: without blank rows, comments, and the header."""
    header_is_next = columns.has_header
    for row in rows:
        reader.lines = row.line
        if _is_blank(row.cells):
            reader.blank_lines += 1
        elif header_is_next and _has_two(row.cells):
            header_is_next = False
        elif is_comment(row.cells):
            reader.leave_out(row.line, COMMENT, row.cells)
        else:
            yield row


def _parsed(
    reader: RowReader, rows: Iterable[TableRow], parse: Callable[[list[str]], Row]
) -> Iterator[tuple[int, Row]]:
    for row in rows:
        found = reader.parsed(row.line, row.cells, parse)
        if found is not None:
            yield row.line, found


def _refuse_repeats(path: Path, pairs: Sequence[Entry]) -> None:
    """Raise if one target has so many source words that it cannot be a translation."""
    sources: dict[str, set[str]] = {}
    for pair in pairs:
        sources.setdefault(pair.target, set()).add(pair.source)
    most = max(sources, key=lambda target: len(sources[target]))
    count = len(sources[most])
    if count >= REPEATED and count >= REPEATED_SHARE * len(pairs):
        example = next(pair.source for pair in pairs if pair.target == most)
        raise DictionaryFileError(
            path,
            f"{most!r} is the translation of {count:,} different words, such as {example!r}: is a "
            "column with parts of speech or notes taken for translations? Name the columns that "
            "hold the words, for example --columns source=1,target=2",
        )


def _check_columns(path: Path, names: Sequence[str]) -> None:
    for name in COLUMNS:
        if names.count(name) > 1:
            raise DictionaryFileError(path, f"the header names {names.count(name)} {name} columns")


def _notes(columns: Columns) -> Iterator[str]:
    is_dictionary = not set(MODEL_FIELDS).isdisjoint(columns.names)
    known = COLUMNS if is_dictionary else MODEL_FIELDS
    names = [
        f"{name} ({kind})" if kind and not columns.has_header else name
        for name, kind in columns.ignored
        if name not in known
    ]
    if names:
        noun = ("columns " if len(names) > 1 else "column ") if columns.has_header else ""
        yield f"not used: {noun}{', '.join(names)}"
    numbers = [name for name, kind in columns.ignored if kind == "numbers"]
    if numbers and not columns.has_header and columns.roles[0] == "source":
        yield (
            f"if {numbers[0]} holds weights: --columns source=1,target=2,"
            f"weight={numbers[0].removeprefix('column ')}"
        )
