"""LIFT, the exchange format of FieldWorks and WeSay: lexical units and the glosses of senses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.formats.xml_nodes import LANGUAGE, Node, root_name, xml_parts
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally, pair_name
from bilex.lexicons.imports.words import EMPTY
from bilex.values import Entry

_SENSES = ("sense", "subsense")


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    parts = xml_parts(path, {"header", "entry"}, tally.advance)
    root = next(parts)
    if root.name != "lift":
        raise LexiconFileError(path, f"found <{root.name}>, expected <lift>", line=root.line)
    for part in parts:
        if part.name == "entry":
            tally.entries += 1
            yield from _pairs(part, request, tally)


def _pairs(entry: Node, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    words = [
        (form.attributes.get(LANGUAGE, ""), _text(form))
        for unit in entry.children
        if unit.name == "lexical-unit"
        for form in unit.children
        if form.name == "form"
    ]
    glosses = [
        (gloss.attributes.get(LANGUAGE, ""), _text(gloss))
        for sense in entry.all(*_SENSES)
        for gloss in sense.children
        if gloss.name == "gloss"
    ]
    if not words:
        tally.leave_out(EMPTY)
    for language, word in words:
        for other, gloss in glosses:
            tally.saw(pair_name(language, other))
            backward = request.is_reversed(language, other)
            if backward is not None:
                pair = (gloss, word) if backward else (word, gloss)
                yield Entry(*pair, provenance="lift")


def _text(form: Node) -> str:
    """Return the text of a form; annotations beside it are no part of the word."""
    return next((child.text for child in form.children if child.name == "text"), "")


def _sniff(start: ResourceStart) -> float:
    return 1.0 if root_name(start.data) == "lift" else 0.0


LIFT = Importer(
    name="lift",
    files=".lift",
    summary="Dictionaries of FieldWorks and WeSay, from fieldwork on small languages.",
    sniff=_sniff,
    read=_read,
)
