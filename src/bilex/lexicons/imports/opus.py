"""Word lists of OPUS (`.dic`), from aligned sentences: count, score, source, target, p, p.

The weight is n / (n + 1) for a pair that was aligned n times: 0.5 for once, 0.9 for nine times.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.entries import is_number
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.lines import LONGEST_ROW, numbered_byte_lines, text_of
from bilex.lexicons.imports.named import NamedLanguages
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally
from bilex.values import Entry

COLUMNS = 6


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    languages = NamedLanguages(path, request, tally)
    backward = languages.is_reversed
    provenance = languages.provenance("opus")
    for number, line in numbered_byte_lines(path, tally, longest=LONGEST_ROW):
        text = text_of(path, number, line)
        if not text.strip():
            continue
        tally.entries += 1
        cells = _cells(text)
        if cells is None or not is_number(cells[0]):
            raise LexiconFileError(
                path,
                f"found {text[:60]!r}, expected count, score, source, target and two probabilities "
                "separated by tabs",
                line=number,
            )
        tally.saw(languages.name)
        if backward is None:
            continue
        count = float(cells[0])
        if not 0 < count < float("inf"):
            tally.leave_out("without a count above 0")
            continue
        source, target = (cells[3], cells[2]) if backward else (cells[2], cells[3])
        yield Entry(source, target, count / (count + 1), provenance)


def _cells(text: str) -> list[str] | None:
    """Return the columns, which are separated by tabs, or by spaces if no word has one."""
    cells = text.split("\t") if "\t" in text else text.split()
    return cells if len(cells) in (COLUMNS - 2, COLUMNS) else None


def _sniff(start: ResourceStart) -> float:
    rows = [_cells(line) for line in start.lines[:20]]
    fits = rows and all(row is not None and is_number(row[0]) and is_number(row[1]) for row in rows)
    if not fits:
        return 0.0
    return 0.9 if start.name.endswith(".dic") else 0.3


OPUS = Importer(
    name="opus",
    files=".dic, .dic.gz",
    summary="Word lists of OPUS, from sentences aligned by machine; the weight grows with counts.",
    sniff=_sniff,
    read=_read,
)
