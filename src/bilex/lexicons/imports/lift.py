"""LIFT, the exchange format of FieldWorks and WeSay: lexical units and the glosses of senses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.formats.lift import (
    PARTS,
    ROOT,
    glosses,
    is_deleted,
    is_rejected,
    senses,
    words,
)
from bilex.lexicons.formats.xml_nodes import Node, root_name, xml_parts
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally, pair_name
from bilex.lexicons.imports.words import EMPTY
from bilex.values import Entry


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    parts = xml_parts(path, PARTS, tally.advance)
    root = next(parts)
    if root.name != ROOT:
        raise LexiconFileError(path, f"found <{root.name}>, expected <{ROOT}>", line=root.line)
    for part in parts:
        if part.name == "entry" and not is_deleted(part):
            tally.entries += 1
            yield from _pairs(part, request, tally)


def _pairs(entry: Node, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    forms = words(entry)
    meant = [gloss for sense in senses(entry) if not is_rejected(sense) for gloss in glosses(sense)]
    if not forms:
        tally.leave_out(EMPTY)
    for language, word in forms:
        for other, gloss in meant:
            tally.saw(pair_name(language, other))
            backward = request.is_reversed(language, other)
            if backward is not None:
                pair = (gloss, word) if backward else (word, gloss)
                yield Entry(*pair, provenance="lift")


def _sniff(start: ResourceStart) -> float:
    return 1.0 if root_name(start.data) == ROOT else 0.0


LIFT = Importer(
    name="lift",
    files=".lift",
    summary="Dictionaries of FieldWorks and WeSay, from fieldwork on small languages.",
    sniff=_sniff,
    read=_read,
)
