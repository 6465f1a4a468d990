"""Bilingual dictionaries of Apertium (`.dix`): pairs of lemmas, without their tags.

An entry for one direction only (`r="LR"` or `"RL"`) counts in that direction. Entries that need a
paradigm or a regular expression are left out, and so are those that lttoolbox ignores.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.entries import is_number
from bilex.lexicons.formats.xml_nodes import Node, root_name, xml_parts
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.named import NamedLanguages
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally
from bilex.lexicons.imports.words import UNEXPECTED
from bilex.values import Entry

_IGNORED = frozenset({"s", "a", "m"})  # tags, and marks for the generation of text
_SMALLEST = 1e-300


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    # A <pardef> is a part of its own, so that its entries are not taken for words.
    parts = xml_parts(path, {"pardef", "e"}, tally.advance)
    root = next(parts)
    if root.name != "dictionary":
        raise LexiconFileError(path, f"found <{root.name}>, expected <dictionary>", line=root.line)
    languages = NamedLanguages(path, request, tally)
    provenance = languages.provenance("apertium")
    for part in parts:
        if part.name != "e":
            continue
        tally.entries += 1
        tally.saw(languages.name)
        if languages.is_reversed is None or not _counts(part, languages.is_reversed, tally):
            continue
        sides = _sides(part)
        if sides is None:
            tally.leave_out(UNEXPECTED)
            continue
        source, target = reversed(sides) if languages.is_reversed else sides
        yield Entry(source, target, _weight(part), provenance)


def _counts(entry: Node, is_reversed: bool, tally: Tally) -> bool:
    """Return whether an entry is a pair of words in the requested direction."""
    names = {child.name for child in entry.children}
    if entry.attributes.get("i") == "yes":
        tally.leave_out("ignored by Apertium")
    elif "re" in names or "par" in names:
        tally.leave_out("with a paradigm or a regular expression")
    elif entry.attributes.get("r") == ("LR" if is_reversed else "RL"):
        tally.leave_out("of the other direction only")
    else:
        return True
    return False


def _sides(entry: Node) -> tuple[str, str] | None:
    """Return both words; several pieces of an entry follow each other."""
    left: list[str] = []
    right: list[str] = []
    for piece in entry.children:
        if piece.name == "i":
            sides: list[Node | None] = [piece, piece]
        else:
            by_name = {side.name: side for side in piece.children}
            sides = [by_name.get("l"), by_name.get("r")]
        for words, side in zip((left, right), sides, strict=True):
            text = None if side is None else _lemma(side)
            if text is None:
                return None
            words.append(text)
    return "".join(left), "".join(right)


def _lemma(side: Node) -> str | None:
    """Return the text before the tags, with `<b/>` as a space; None for joined words."""
    pieces: list[str] = []
    for piece in side.content:
        if isinstance(piece, str):
            pieces.append(piece)
        elif piece.name == "b":
            pieces.append(" ")
        elif piece.name == "g":  # the part of a multi-word term that is not inflected
            inner = _lemma(piece)
            if inner is None:
                return None
            pieces.append(inner)
        elif piece.name not in _IGNORED:
            return None
    return "".join(pieces)


def _weight(entry: Node) -> float:
    """Return the weight; that of lttoolbox is -log of a probability."""
    text = entry.attributes.get("w", "")
    weight = math.exp(-float(text)) if is_number(text) and abs(float(text)) < 700 else 1.0
    return max(weight, _SMALLEST)


def _sniff(start: ResourceStart) -> float:
    return 0.9 if root_name(start.data) == "dictionary" else 0.0


APERTIUM = Importer(
    name="apertium",
    files=".dix",
    summary="Bilingual dictionaries of Apertium, strong for related and smaller languages.",
    sniff=_sniff,
    read=_read,
)
