"""TSV, CSV and JSON Lines with every field, and the bare pairs of GATITOS and MUSE."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import COLUMNS, texts_of
from bilex.lexicons.entries import RowProblem


def tsv(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield a header line and a line of tab-separated fields for each entry."""
    yield "\t".join(COLUMNS) + "\n"
    for entry in entries:
        yield "\t".join(texts_of(entry)) + "\n"


def csv_rows(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield a header line and a line of comma-separated fields, quoted where they need it."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        writer.writerow(texts_of(entry))
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def jsonl(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield one JSON object a line, with the same keys in each; what is not known is null."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for entry in entries:
        yield encode(dict(zip(COLUMNS, entry, strict=True))) + "\n"


def gatitos(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the two words with a tab between; several translations are several lines."""
    for entry in entries:
        yield f"{entry.source}\t{entry.target}\n"


def muse(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the two words with a space between.

    Raises:
        RowProblem: If a word holds a blank of any kind, at which readers of such files cut.
    """
    for entry in entries:
        line = f"{entry.source} {entry.target}\n"
        if line.split() != [entry.source, entry.target]:
            word = entry.source if entry.source.split() != [entry.source] else entry.target
            raise RowProblem(
                f"the word {word!r} holds a blank, which separates words in a MUSE file: write "
                "another format, such as gatitos"
            )
        yield line
