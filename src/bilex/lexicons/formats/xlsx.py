"""Excel workbooks: dictionaries to review in a spreadsheet, and word lists that people keep there.

Written workbooks have one sheet with a header that stays visible, filters, probabilities as
percentages, and a column to review in. Reading takes the first sheet that holds word pairs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Generator, Iterable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import COLUMNS
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.sheet_archive import RowCells, SheetArchive, SheetParser, SheetProblem
from bilex.lexicons.formats.sheet_choice import Sheet, first_with_pairs
from bilex.lexicons.formats.table_rows import Table, TableRow

REVIEW = "review"
DECISIONS = ("ok", "wrong", "unsure")

MOST_ROWS = 2**20
"""Of a sheet, with the header."""

LONGEST_CELL = 32_767
"""Characters that Excel keeps."""

_WIDTHS = {
    **{"source": 24, "target": 24, "probability": 11, "model": 14, "review": 10},
    **{"part_of_speech": 14, "sense": 18, "note": 30, "reviewer": 14, "reviewed_at": 27},
}
_WORKBOOK = "xl/workbook.xml"
_WORKBOOK_LINKS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_UNWRITABLE = re.compile("[\ufffe\uffff]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def _save(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata, path: Path) -> None:
    library = import_module("xlsxwriter")
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with library.Workbook(path, options) as book:
        book.set_properties(
            {
                "title": metadata.title,
                "comments": metadata.license and f"License: {metadata.license}",
                "created": datetime(2000, 1, 1, tzinfo=UTC),  # the same entries, the same bytes
            }
        )
        _write_rows(book, book.add_worksheet(_sheet_name(metadata)), entries)


def _sheet_name(metadata: DictionaryMetadata) -> str:
    """Return the languages, if both are known, in the length that Excel allows."""
    languages = metadata.source_language, metadata.target_language
    return "dictionary" if "und" in languages else "-".join(languages)[:31]


def _write_rows(book: Any, sheet: Any, entries: Iterable[DictionaryEntry]) -> None:  # noqa: ANN401
    names = (*COLUMNS[:3], REVIEW, *COLUMNS[3:])
    bold, percent = book.add_format({"bold": True}), book.add_format({"num_format": "0.0%"})
    for place, name in enumerate(names):
        sheet.set_column(place, place, _WIDTHS.get(name, 9))
        sheet.write_string(0, place, name, bold)
    sheet.freeze_panes(1, 0)
    row = 0
    for row, entry in enumerate(entries, start=1):
        if row >= MOST_ROWS:
            raise RowProblem(f"a sheet holds {MOST_ROWS - 1:,} entries: write .csv or .tsv")
        for place, name in enumerate(names):
            if name != REVIEW:
                _write_cell(sheet, row, place, getattr(entry, name), percent)
    if row:
        sheet.autofilter(0, 0, row, len(names) - 1)
        place = names.index(REVIEW)
        sheet.data_validation(1, place, row, place, {"validate": "list", "source": list(DECISIONS)})


def _write_cell(sheet: Any, row: int, place: int, value: object, percent: object) -> None:  # noqa: ANN401
    if value is None or value == "":
        return
    if isinstance(value, str):
        if len(value) > LONGEST_CELL:
            raise RowProblem(
                f"{value[:20]!r}… has {len(value):,} characters, a cell holds {LONGEST_CELL:,}"
            )
        if _UNWRITABLE.search(value):
            raise RowProblem(f"{value!r} holds a character that a workbook cannot: leave it out")
        sheet.write_string(row, place, value)
    elif place == COLUMNS.index("probability"):
        sheet.write_number(row, place, value, percent)
    else:
        sheet.write_number(row, place, value)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _table(path: Path) -> Table:
    return first_with_pairs(path, _sheets)


def _sheets(path: Path) -> Generator[Sheet, None, None]:
    """Yield the sheets in order."""
    with SheetArchive.open(path) as archive:
        links = dict(archive.parsed(_WORKBOOK_LINKS, _Links()))
        strings: list[str] = []
        if _STRINGS in archive.names:
            strings = list(archive.parsed(_STRINGS, _Strings()))
        for name, link in list(archive.parsed(_WORKBOOK, _SheetNames())):
            target = posixpath.normpath(posixpath.join("xl", links.get(link, "")))
            target = target.removeprefix("/") if target in archive.names else target.lstrip("/")
            if target in archive.names and "chartsheet" not in target:
                yield Sheet(name, archive.parsed(target, _Rows(strings)))


class _Links(SheetParser[tuple[str, str]]):
    """Finds the files that a workbook refers to."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            self.emit((attributes.get("Id", ""), attributes.get("Target", "")))


class _SheetNames(SheetParser[tuple[str, str]]):
    """Finds the name of each sheet, and the reference to its file."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            self.emit((attributes.get("name", ""), attributes.get("id", "")))


class _Strings(SheetParser[str]):
    """Finds the texts that cells refer to by number."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._is_text = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self._pieces = []
        elif name == "rPh":
            self._is_phonetic = True
        elif name == "t":
            self._is_text = not self._is_phonetic

    def end(self, name: str) -> None:
        if name == "si":
            self.emit(_unescaped("".join(self._pieces)))
        elif name == "rPh":
            self._is_phonetic = False
        elif name == "t":
            self._is_text = False

    def text(self, data: str) -> None:
        if self._is_text:
            self._pieces.append(data)


class _Rows(SheetParser[TableRow]):
    """Finds the rows of a sheet."""

    def __init__(self, strings: list[str]) -> None:
        super().__init__()
        self._strings = strings
        self._line = 0
        self._place = -1
        self._cells = RowCells()
        self._kind = ""
        self._pieces: list[str] = []
        self._is_value = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self._line = max(self._line + 1, _whole(attributes.get("r", "")))
            self._place, self._cells = -1, RowCells()
        elif name == "c":
            self._place = _place(attributes.get("r", ""), self._place + 1)
            self._kind, self._pieces = attributes.get("t", "n"), []
        elif name in ("v", "t"):
            self._is_value = True

    def end(self, name: str) -> None:
        if name in ("v", "t"):
            self._is_value = False
        elif name == "c":
            self._cells.put(self._place, self._cell("".join(self._pieces)))
            self._pieces = []
        elif name == "row":
            self.emit(self._cells.row(self._line))
            self._cells = RowCells()

    def text(self, data: str) -> None:
        if self._is_value:
            self._pieces.append(data)

    def _cell(self, text: str) -> str:
        if self._kind == "s":
            text, total = text.strip(), len(self._strings)
            number = _whole(text) if text.isdigit() else total
            if number >= total:
                raise SheetProblem(f"refers to text number {text[:20]!r} of {total:,}")
            return self._strings[number]
        if self._kind == "b":
            return "TRUE" if text.strip() == "1" else "FALSE"
        if self._kind == "e":
            return ""  # such as #N/A
        if self._kind in ("inlineStr", "str"):
            return _unescaped(text)
        return shortest(text.strip())


def shortest(number: str) -> str:
    """Return a number as people write it: 12 for 12.0, 0.1 for 0.10000000000000001."""
    try:
        value = float(number)
    except ValueError:
        return number
    if value == int(value) if abs(value) < 2**53 else False:
        return str(int(value))
    return repr(value)


def _place(reference: str, following: int) -> int:
    """Return the column of a cell such as C7, from 0; `following` if it does not say."""
    found = _CELL.fullmatch(reference.upper())
    if found is None:
        return following
    place = 0
    for letter in found[1]:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _sniff(start: FileStart) -> float:
    if not start.data.startswith(b"PK\x03\x04"):
        return 0.0
    is_named = start.suffix in (".xlsx", ".xlsm")
    return 1.0 if is_named or b"xl/" in start.data or b"[Content_Types]" in start.data else 0.0


XLSX = Format(
    name="xlsx",
    extensions=(".xlsx", ".xlsm"),
    summary="A workbook to review in Excel, LibreOffice or Google Sheets.",
    save=_save,
    table=_table,
    sniff=_sniff,
    keeps_rejected=True,
    requires_to_write=("xlsxwriter", "sheets"),
)
