"""StarDict: a folder that sdcv, GoldenDict, KOReader and many others open.

The index (.idx) is sorted as readers expect; articles (.dict) stay in the order of the entries, so
that reading gives it back. An article is plain text, a translation a line, and what is known of it
after a tab.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import by_source, details_line
from bilex.lexicons.entries import RowProblem

MAGIC = "StarDict's dict ifo file"
ARTICLE_TYPE = "m"  # plain text
LONGEST_WORD = 255
"""In bytes of UTF-8; the format allows no more."""

FOUR_GIGABYTES = 2**32


def stem_of(facts: DictionaryFacts) -> str:
    """Return what the files in the folder are called, such as en-fr."""
    return f"{facts.source_language}-{facts.target_language}"


def save_stardict(entries: Iterable[DictionaryEntry], facts: DictionaryFacts, path: Path) -> None:
    """Write the articles one after the other, then the sorted index and the description.

    Raises:
        RowProblem: If a source word is too long for the format.
    """
    path.mkdir()
    stem = path / stem_of(facts)
    places: list[tuple[bytes, int, int]] = []  # word, where its article starts, its length
    offset = 0
    with stem.with_name(f"{stem.name}.dict").open("wb") as file:
        for source, group in by_source(entries):
            article = "\n".join(f"{e.target}\t{details_line(e)}" for e in group).encode()
            places.append((_word(source), offset, len(article)))
            offset += file.write(article)
    wide = offset >= FOUR_GIGABYTES
    place = struct.Struct(">QI" if wide else ">II")
    places.sort(key=_sorting)
    with stem.with_name(f"{stem.name}.idx").open("wb") as file:
        size = sum(
            file.write(word + b"\0" + place.pack(start, length)) for word, start, length in places
        )
    description = _description(facts, words=len(places), index_size=size, wide=wide)
    ifo = stem.with_name(f"{stem.name}.ifo")
    ifo.write_text(description, encoding="utf-8", newline="\n")


def _word(source: str) -> bytes:
    word = source.encode()
    if len(word) > LONGEST_WORD:
        raise RowProblem(
            f"the source word {source[:20]!r}… has {len(word)} bytes, StarDict allows "
            f"{LONGEST_WORD}: leave it out or write another format"
        )
    return word


def _sorting(place: tuple[bytes, int, int]) -> tuple[bytes, bytes, int]:
    """Sort ASCII letters without case first, then all bytes: `stardict_strcmp`."""
    word, start, _ = place
    return word.lower(), word, start


def _description(facts: DictionaryFacts, *, words: int, index_size: int, wide: bool) -> str:
    lines = [
        MAGIC,
        f"version={'3.0.0' if wide else '2.4.2'}",
        f"bookname={facts.title or stem_of(facts)}",
        f"wordcount={words}",
        f"idxfilesize={index_size}",
        *(["idxoffsetbits=64"] if wide else []),
        f"sametypesequence={ARTICLE_TYPE}",
        f"source_language={facts.source_language}",
        f"target_language={facts.target_language}",
        f"license={facts.license}",
        f"description={facts.source_language} to {facts.target_language}, written by bilex."
        + (f" License: {facts.license}" if facts.license else ""),
    ]
    return "\n".join(lines) + "\n"
