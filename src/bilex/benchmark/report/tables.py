"""Tables as data, independent of their output format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bilex.benchmark.report.number_format import DASH
from bilex.benchmark.report.records import Direction

Mark = Literal["", "best", "tied"]
"""The best of its column, or one that is not significantly below it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in data files, its title in tables."""

    key: str
    title: str
    numeric: bool = True
    note: str = ""  # a second line of the title
    direction: Direction | None = None  # the language pair of the column


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its value for sorting and data files, its text in tables."""

    value: float | int | str | None
    text: str
    spread: str = ""  # follows the text in smaller letters: ± 0.3
    mark: Mark = ""
    language: str = ""  # of a word


@dataclass(frozen=True, slots=True)
class Row:
    """A row, with the values by which the page filters it."""

    cells: tuple[Cell, ...]
    direction: Direction | None = None
    size: int | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the name of its files, a title and an explanatory note."""

    name: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    headings: int = 1  # how many of the first columns are row headings


MISSING = Cell(None, DASH)


def word(text: str | None, language: str = "") -> Cell:
    """Return a cell of text."""
    return MISSING if text is None else Cell(text, text, language=language)


def number(value: float | int | None, text: str) -> Cell:
    """Return a cell of a number with its text."""
    return MISSING if value is None else Cell(value, text)


def stacked(name: str, title: str, note: str, tables: Sequence[Table], headings: int) -> Table:
    """Combine the rows of several tables in one.

    Columns that only some of them have, such as language pairs, are empty in the others.
    """
    columns: dict[str, Column] = {}
    for table in tables:
        for column in table.columns:
            columns.setdefault(column.key, column)
    rows = []
    for table in tables:
        places = {column.key: place for place, column in enumerate(table.columns)}
        for row in table.rows:
            cells = tuple(row.cells[places[key]] if key in places else MISSING for key in columns)
            rows.append(Row(cells, row.direction, row.size, row.method))
    return Table(name, title, note, tuple(columns.values()), tuple(rows), headings)
