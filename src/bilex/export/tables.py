"""Read dictionaries in TSV, CSV and JSON Lines, and plain lexicons as dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import LexiconFileError
from bilex.export.contents import Dictionary
from bilex.export.entry_rules import COLUMNS, DETAILS, GIVEN, ORIGINS, check_entry, entry_of
from bilex.lexicons import read_lexicon
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.json_rows import json_object
from bilex.lexicons.lines import Line, numbered_lines
from bilex.lexicons.table_rows import COLUMN_NAMES, Cut, cut_at, cut_at_tabs
from bilex.values import Entry

Parse = Callable[[str], DictionaryEntry]


def read_table(path: Path) -> Dictionary:
    """Read an entry from each line; the first line tells the format and the columns.

    A file without a column that only dictionaries have is read as a lexicon: its pairs were given,
    unless their provenance tells another origin.

    Raises:
        LexiconFileError: If a line is no entry.
    """
    with closing(_filled_lines(path)) as lines:
        first = next(lines, Line(1, "")).text
    if first.lstrip(" ").startswith("{"):
        if _has_details(first):
            return Dictionary(list(_entries(path, _json_entry)), DictionaryFacts())
        return _read_pairs(path)
    for cut in (cut_at_tabs, cut_at(","), cut_at(";")):
        names = _column_names(first, cut)
        if set(names) & set(DETAILS):
            return _read_rows(path, names, cut)
    return _read_pairs(path)


def _filled_lines(path: Path) -> Generator[Line, None, None]:
    with closing(numbered_lines(path)) as lines:
        yield from (line for line in lines if line.text.strip(" \t"))


def _entries(path: Path, parse: Parse, *, skip: int = 0) -> Iterator[DictionaryEntry]:
    with closing(_filled_lines(path)) as lines:
        for place, line in enumerate(lines):
            if place < skip:
                continue
            try:
                yield parse(line.text)
            except RowProblem as problem:
                raise LexiconFileError(path, str(problem), line=line.number) from None


def _column_names(first: str, cut: Cut) -> list[str]:
    """Return what a header calls its columns; nothing if the line is no header."""
    try:
        given = [cell.strip(" ").lower() for cell in cut(first)]
    except RowProblem:
        return []
    names = [name if name in COLUMNS else COLUMN_NAMES.get(name, name) for name in given]
    return names if "source" in names and "target" in names else []


def _read_rows(path: Path, names: list[str], cut: Cut) -> Dictionary:
    for name in COLUMNS:
        if names.count(name) > 1:
            raise LexiconFileError(path, f"the header names {names.count(name)} {name} columns")

    def parse(line: str) -> DictionaryEntry:
        cells = cut(line)
        if len(cells) != len(names):
            raise RowProblem(f"found {len(cells)} columns, the header has {len(names)}")
        row = {name: cell.strip(" ") for name, cell in zip(names, cells, strict=True)}
        return entry_of(row["source"], row["target"], row)

    ignored = [name for name in names if name not in COLUMNS]
    notes = (f"columns: {', '.join(ignored)}",) if ignored else ()
    return Dictionary(list(_entries(path, parse, skip=1)), DictionaryFacts(), notes)


def _has_details(line: str) -> bool:
    try:
        return not set(DETAILS).isdisjoint(json_object(line))
    except RowProblem:
        return False  # reading it as a lexicon tells what is wrong


def _json_entry(line: str) -> DictionaryEntry:
    record = json_object(line)
    entry = DictionaryEntry(
        _value(record, "source", str, ""),
        _value(record, "target", str, ""),
        _value(record, "probability", float, None),
        _value(record, "score", float, None),
        _value(record, "rank", int, None),
        _value(record, "back_rank", int, None),
        _value(record, "origin", str, GIVEN),
        _value(record, "model", str, ""),
    )
    check_entry(entry)
    return entry


def _value(record: dict[str, object], key: str, kind: type, default: str | None) -> Any:  # noqa: ANN401
    value = record.get(key)
    if value is None:
        return default
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        names = {str: "a text", float: "a number", int: "a whole number"}
        raise RowProblem(f"the {key} is {value!r}, expected {names[kind]}")
    return value


def _read_pairs(path: Path) -> Dictionary:
    lexicon = read_lexicon(path).lexicon
    weighted = any(entry.weight != 1 for entry in lexicon.entries)
    notes = ("weights",) if weighted else ()
    return Dictionary([_given(entry) for entry in lexicon.entries], DictionaryFacts(), notes)


def _given(entry: Entry) -> DictionaryEntry:
    origin = next((name for name in ORIGINS if name == entry.provenance), GIVEN)
    return DictionaryEntry(entry.source, entry.target, origin=origin)
