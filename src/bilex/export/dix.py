"""Apertium's bilingual dictionaries, for `lt-comp`: pairs of words without parts of speech.

A comment holds what is known of a pair; its weight is -log of the probability, so that lttoolbox
ranks translations as we do.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import details_line
from bilex.export.xml_text import escape


def dix(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield one section with an element for each entry."""
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
