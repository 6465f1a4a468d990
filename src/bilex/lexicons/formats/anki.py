"""Flash cards for Anki: a text file whose first lines say how to import it.

A note is a source word (front) and its translations (back). Anki identifies a note by its first
field, so each source word has one note. The tags are origins and models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import by_source, texts_of
from bilex.lexicons.formats.format import Format

COLUMNS = ("Front", "Back", "Probability", "Tags")
"""The fields of a note; the probability is that of the first translation."""


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield "#separator:tab\n#html:false\n"
    if metadata.title:
        yield f"#deck:{metadata.title}\n"
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
    """Quote a cell that Anki would split, or read as a comment."""
    return '"' + cell.replace('"', '""') + '"' if '"' in cell or cell.startswith("#") else cell


ANKI = Format(
    name="anki",
    extensions=(".anki.tsv", ".anki.txt"),
    summary="Notes to import into Anki, with all translations of a word on one card.",
    keeps=("source", "target", "probability", "origin", "model"),
    render=_render,
)
