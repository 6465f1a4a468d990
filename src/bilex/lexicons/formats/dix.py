"""Bilingual dictionaries of Apertium, for `lt-comp`: pairs of words without parts of speech.

The weight is -log of the probability, so that lttoolbox ranks translations by probability. A
comment holds all fields.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import details_line
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.xml_text import escape


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<dictionary>\n<alphabet/>\n'
        '<section id="main" type="standard">\n'
    )
    for entry in entries:
        yield (
            f'<e{_weight(entry.probability)} c="{escape(details_line(entry))}">'
            f"<p><l>{_side(entry.source)}</l><r>{_side(entry.target)}</r></p></e>\n"
        )
    yield "</section>\n</dictionary>\n"


def _weight(probability: float | None) -> str:
    if probability is None:
        return ""
    weight = -math.log(max(probability, sys.float_info.min)) + 0.0  # no negative zero
    return f' w="{weight:.6f}"'


def _side(word: str) -> str:
    return escape(word).replace(" ", "<b/>")


DIX = Format(
    name="dix",
    extensions=(".dix",),
    summary="A bilingual dictionary for lttoolbox and Apertium, without parts of speech.",
    render=_render,
)
