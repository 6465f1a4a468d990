"""OpenDocument spreadsheets, as LibreOffice writes them: read, not written."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.sheet_archive import (
    LONGEST_CELL,
    MOST_COLUMNS,
    RowCells,
    SheetArchive,
    SheetParser,
    SheetProblem,
)
from bilex.lexicons.formats.sheet_choice import Sheet, first_with_pairs
from bilex.lexicons.formats.table_rows import Table, TableRow
from bilex.lexicons.formats.xlsx import shortest

MOST_REPEATS = 1_000
"""How often a row with content may be repeated; more is an error."""

_CONTENT = "content.xml"
_MIME_TYPE = b"application/vnd.oasis.opendocument.spreadsheet"
_CELLS = ("table-cell", "covered-table-cell")
_NOT_IN_CELLS = ("annotation",)  # comments that people add to a cell


def _table(path: Path) -> Table:
    return first_with_pairs(path, _sheets)


def _sheets(path: Path) -> Generator[Sheet, None, None]:
    """Yield the sheets in order; each is read whole before the next."""
    with SheetArchive.open(path) as archive:
        name, rows = "", list[TableRow]()
        for table, row in archive.parsed(_CONTENT, _Rows()):
            if table != name and rows:
                yield Sheet(name, iter(rows))
                rows = []
            name = table
            rows.append(row)
        if rows:
            yield Sheet(name, iter(rows))


class _Rows(SheetParser[tuple[str, TableRow]]):
    """Finds the rows of all sheets, with the name of the sheet."""

    def __init__(self) -> None:
        super().__init__()
        self._table = ""
        self._line = 0
        self._repeated = 1
        self._cells = RowCells()
        self._place = 0
        self._wide = 1
        self._number: str | None = None
        self._pieces: list[str] = []
        self._depth = 0  # of paragraphs
        self._skipped = 0  # depth within an annotation

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self._table, self._line = attributes.get("name", ""), 0
        elif name == "table-row":
            self._cells, self._place = RowCells(), 0
            self._repeated = _count(attributes.get("number-rows-repeated"))
        elif name in _CELLS:
            self._wide = _count(attributes.get("number-columns-repeated"))
            is_number = attributes.get("value-type") in ("float", "percentage", "currency")
            self._number = attributes.get("value") if is_number else None
            self._pieces = []
        elif name in _NOT_IN_CELLS:
            self._skipped += 1
        elif name in ("p", "h"):
            self._pieces.append(" " if self._pieces and not self._skipped else "")
            self._depth += 1
        elif name in ("s", "tab", "line-break") and not self._skipped:
            self._pieces.append(" ")

    def end(self, name: str) -> None:
        if name in ("p", "h"):
            self._depth -= 1
        elif name in _NOT_IN_CELLS:
            self._skipped -= 1
        elif name in _CELLS:
            self._put()
        elif name == "table-row":
            self._end_row()

    def text(self, data: str) -> None:
        if self._depth and not self._skipped:
            self._pieces.append(data)

    def _put(self) -> None:
        text = "".join(self._pieces) if self._number is None else shortest(self._number)
        if text.strip():
            if self._place + self._wide > MOST_COLUMNS or len(text) > LONGEST_CELL:
                raise SheetProblem(
                    f"has a cell in column {self._place + self._wide:,} with {len(text):,} "
                    "characters, expected a few columns of words"
                )
            for place in range(self._place, self._place + self._wide):
                self._cells.put(place, text)
        self._place += self._wide
        self._pieces, self._number = [], None

    def _end_row(self) -> None:
        first = self._line + 1
        self._line += self._repeated
        if not any(self._cells.row(first).cells):
            return
        if self._repeated > MOST_REPEATS:
            raise SheetProblem(f"repeats row {first:,} {self._repeated:,} times")
        for line in range(first, first + self._repeated):
            self.emit((self._table, self._cells.row(line)))


def _count(text: str | None) -> int:
    """Return how often something is repeated; spreadsheets fill up to their last row or column."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 1


def _sniff(start: FileStart) -> float:
    is_ods = _MIME_TYPE in start.data[:200] or start.suffix == ".ods"
    return 1.0 if start.data.startswith(b"PK\x03\x04") and is_ods else 0.0


ODS = Format(
    name="ods",
    extensions=(".ods",),
    summary="Spreadsheets of LibreOffice: read as seeds; written as .xlsx.",
    table=_table,
    sniff=_sniff,
    keeps_rejected=True,
)
