"""Flash cards for Anki: a text file whose first lines say how to import it.

A note is a source word (front) and its translations (back), each with how far to trust it. Anki
identifies a note by its first field, so each source word has one note. The tags are origins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import by_source
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.reader_labels import for_readers

COLUMNS = ("Front", "Back", "Tags")
"""The fields of a note."""


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield "#separator:tab\n#html:false\n"
    if metadata.title:
        yield f"#deck:{metadata.title}\n"
    yield f"#tags column:{len(COLUMNS)}\n#columns:" + "\t".join(COLUMNS) + "\n"
    for source, group in by_source(entries):
        tags = " ".join(dict.fromkeys(entry.origin for entry in group))
        yield "\t".join(map(_quoted, (source, _back(group), tags))) + "\n"


def _back(group: Sequence[DictionaryEntry]) -> str:
    """Return the translations, each on a line; numbered if there are several."""
    first = {entry.target: entry for entry in reversed(group)}  # of equal translations
    lines = [for_readers(first[target]) for target in dict.fromkeys(e.target for e in group)]
    if len(lines) == 1:
        return lines[0]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _quoted(cell: str) -> str:
    """Quote a cell that Anki would split, or read as a comment."""
    if '"' in cell or "\n" in cell or cell.startswith("#"):
        return '"' + cell.replace('"', '""') + '"'
    return cell


ANKI = Format(
    name="anki",
    extensions=(".anki.tsv", ".anki.txt"),
    summary="Notes to import into Anki, with all translations of a word on one card.",
    keeps=("source", "target", "origin"),
    render=_render,
)
