"""Which sheet of a workbook to read: the first that holds word pairs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from bilex.errors import DictionaryFileError
from bilex.lexicons.formats.table_rows import SAMPLE_ROWS, Table, TableRow


class Sheet(NamedTuple):
    """A sheet: its name and its rows, which are read when they are needed."""

    name: str
    rows: Iterator[TableRow]


Sheets = Callable[[Path], Generator[Sheet, None, None]]
"""Opens a workbook and yields its sheets in order."""


def first_with_pairs(path: Path, sheets: Sheets) -> Table:
    """Return the first sheet with rows of at least two cells.

    Raises:
        DictionaryFileError: If there is none.
    """
    names = []
    with closing(sheets(path)) as opened:
        for sheet in opened:
            names.append(sheet.name)
            first = list(islice(sheet.rows, SAMPLE_ROWS))
            if sum(_has_two(row) for row in first) > len(_alone(first)):
                # Read whole: the workbook is closed when this returns.
                return Table(_filled_up(list(chain(first, sheet.rows))), sheet=sheet.name)
    raise DictionaryFileError(
        path,
        f"found no sheet with word pairs ({', '.join(names) or 'there is none'}): expected the "
        "source words in one column and the target words in another",
    )


def _filled_up(rows: list[TableRow]) -> list[TableRow]:
    """Return rows of the same width: a sheet does not hold empty cells at the end of a row."""
    width = max(len(row.cells) for row in rows)
    return [TableRow(row.line, [*row.cells, *[""] * (width - len(row.cells))]) for row in rows]


def _has_two(row: TableRow) -> bool:
    return sum(bool(cell) for cell in row.cells) > 1


def _alone(rows: list[TableRow]) -> list[TableRow]:
    return [row for row in rows if sum(bool(cell) for cell in row.cells) == 1]
