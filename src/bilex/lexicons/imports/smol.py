"""GATITOS and SMOL, as JSON Lines: `sl`, `tl`, `src` and `trgs` or `trg`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.lines import LONGEST_ROW, json_object, numbered_byte_lines, texts
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally, pair_name
from bilex.lexicons.imports.words import EMPTY, UNEXPECTED
from bilex.values import Entry


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    for number, line in numbered_byte_lines(path, tally, longest=LONGEST_ROW):
        if not line.strip():
            continue
        tally.entries += 1
        record = json_object(path, number, line)
        first, second = record.get("sl"), record.get("tl")
        tally.saw(pair_name(first, second))
        backward = request.is_reversed(first, second)
        if backward is None:
            continue
        word = record.get("src")
        if not isinstance(word, str):
            tally.leave_out("documents" if "srcs" in record else UNEXPECTED)
            continue
        translations = texts(record.get("trgs")) + texts(record.get("trg"))
        tally.leave_out(EMPTY, not translations)
        for other in translations:
            pair = (other, word) if backward else (word, other)
            yield Entry(*pair, provenance="smol")


def _sniff(start: ResourceStart) -> float:
    is_object = start.first.startswith(b"{")
    return 0.95 if is_object and b'"sl"' in start.data and b'"tl"' in start.data else 0.0


SMOL = Importer(
    name="smol",
    files=".jsonl, .jsonl.gz",
    summary="GATITOS and other parts of Google's SMOL, for more than 170 languages.",
    license="CC-BY-4.0",
    sniff=_sniff,
    read=_read,
)
