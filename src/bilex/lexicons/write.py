"""Write a lexicon so that reading it back gives the same entries."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.files import writing
from bilex.lexicons.entries import RowProblem, check_text, checked, checked_weight
from bilex.lexicons.table_rows import COLUMN_NAMES
from bilex.values import Entry, Lexicon


def write_lexicon(lexicon: Lexicon, path: Path | str) -> None:
    """Write TSV, CSV or JSON Lines, as the name says: .tsv, .csv, .jsonl, each with or without .gz.

    Weights are written if one differs from 1, provenances if one is not empty. A TSV or CSV file
    of bare pairs has no header line, as other tools expect, unless its first word could be taken
    for something else. The file appears complete or not at all.

    Raises:
        LexiconFileError: If the name has another ending, or an entry cannot be read back: an
            empty word, a tab, line break or null character in it, a space at either end, half of
            a character, or a weight that is not a finite number above 0.
    """
    path = Path(path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in _RENDERERS:
        raise LexiconFileError(
            path,
            f"the name ends in {suffix!r}, expected one of {', '.join(_RENDERERS)} "
            "(or the same with .gz)",
        )
    for number, entry in enumerate(lexicon.entries, start=1):
        _check(path, number, entry)
    data = _RENDERERS[suffix](lexicon.entries).encode()
    if path.name.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # no time of day: the same lexicon, the same bytes
    with writing(path) as temporary:
        temporary.write_bytes(data)


def _check(path: Path, number: int, entry: Entry) -> None:
    try:
        checked(entry.source, "source")
        checked(entry.target, "target")
        check_text(entry.provenance, "provenance")
        checked_weight(entry.weight)
    except RowProblem as problem:
        raise LexiconFileError(path, f"entry {number} cannot be written: {problem}") from None


def _tsv(entries: tuple[Entry, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in _rows(entries))


def _csv(entries: tuple[Entry, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(entries))
    return text.getvalue()


def _jsonl(entries: tuple[Entry, ...]) -> str:
    columns = _columns(entries)
    lines = []
    for entry in entries:
        record = {name: value for name, value in entry._asdict().items() if name in columns}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


_RENDERERS: dict[str, Callable[[tuple[Entry, ...]], str]] = {
    ".tsv": _tsv,
    ".csv": _csv,
    ".jsonl": _jsonl,
}


def _columns(entries: tuple[Entry, ...]) -> list[str]:
    columns = ["source", "target"]
    if any(entry.weight != 1 for entry in entries):
        columns.append("weight")
    if any(entry.provenance for entry in entries):
        columns.append("provenance")
    return columns


def _rows(entries: tuple[Entry, ...]) -> list[list[str]]:
    columns = _columns(entries)
    rows = [
        [str(value) for name, value in entry._asdict().items() if name in columns]
        for entry in entries
    ]
    bare = len(columns) == 2 and bool(entries) and _is_clearly_a_word(entries[0].source)
    return rows if bare else [columns, *rows]


def _is_clearly_a_word(first: str) -> bool:
    """Tell whether the start of a file could not be a header, a mark, markup or an archive."""
    return first[0].isalnum() and first.isalnum() and first.lower() not in COLUMN_NAMES
