"""Flash cards for Anki: a text file whose first lines tell Anki how to import it.

A note is a source word (front) and its translations (back): Anki knows notes by their first
field, so a word has one. The tags tell origins and models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import by_source, texts_of

COLUMNS = ("Front", "Back", "Probability", "Tags")
"""Anki fills fields of these names; the probability is that of the first translation."""


def anki(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the lines that describe the file, then a line for each source word."""
    yield "#separator:tab\n#html:false\n"
    if facts.title:
        yield f"#deck:{facts.title}\n"
    yield f"#tags column:{len(COLUMNS)}\n#columns:" + "\t".join(COLUMNS) + "\n"
    for source, group in by_source(entries):
        targets = ", ".join(dict.fromkeys(entry.target for entry in group))
        probability = texts_of(group[0])[2]
        cells = (source, targets, probability, _tags(group))
        yield "\t".join(map(_quoted, cells)) + "\n"


def _tags(group: Sequence[DictionaryEntry]) -> str:
    origins = [f"origin::{entry.origin}" for entry in group]
    models = ["model::" + "_".join(entry.model.split()) for entry in group if entry.model]
    return " ".join(dict.fromkeys([*origins, *models]))


def _quoted(cell: str) -> str:
    """Quote a cell that Anki would cut or, for a number sign, take for a comment."""
    return '"' + cell.replace('"', '""') + '"' if '"' in cell or cell.startswith("#") else cell
