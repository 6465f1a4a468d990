"""Which entries a format holds, and which it leaves out and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import COLUMNS, texts_of

EXAMPLES = 3
"""How many entries of each reason a summary shows."""

LONGEST_SHOWN = 40
"""Characters of a word in a summary."""


class LeftOutEntry(NamedTuple):
    """An entry that does not fit a format, and why: such as "target longer than 200 bytes"."""

    entry: DictionaryEntry
    reason: str


class Selection(NamedTuple):
    """The entries to write, unchanged and in their order, and all the others."""

    kept: Sequence[DictionaryEntry]
    left_out: Sequence[LeftOutEntry] = ()


Select = Callable[[Iterable[DictionaryEntry], DictionaryMetadata], Selection]
"""Decides which entries a file holds; each entry is either kept or left out."""


def left_out_beside(path: Path) -> Path:
    """Return the path of the list of entries that a dictionary file does not hold."""
    return path.with_name(f"{path.name}.left-out.tsv")


def left_out_lines(left_out: Iterable[LeftOutEntry]) -> Iterator[str]:
    """Yield a tab-separated table of entries with all fields and the reason.

    It can be corrected and read as a dictionary.
    """
    yield "\t".join((*COLUMNS, "reason")) + "\n"
    for entry, reason in left_out:
        yield "\t".join((*texts_of(entry), reason)) + "\n"


def describe_selection(left_out: Sequence[LeftOutEntry]) -> str:
    """Return how many entries were left out, why, and the first ones of each reason.

    Example:
        >>> describe_selection([LeftOutEntry(DictionaryEntry("dog", "chat"), "repeated pair")])
        '1 entry left out, repeated pair: 1 (dog → chat)'
    """
    groups: dict[str, list[DictionaryEntry]] = {}
    for entry, reason in left_out:
        groups.setdefault(reason, []).append(entry)
    reasons = "; ".join(f"{why}: {len(found):,} ({_shown(found)})" for why, found in groups.items())
    noun = "entry" if len(left_out) == 1 else "entries"
    return f"{len(left_out):,} {noun} left out, {reasons}"


def _shown(entries: Sequence[DictionaryEntry]) -> str:
    pairs = [f"{_short(entry.source)} → {_short(entry.target)}" for entry in entries[:EXAMPLES]]
    return ", ".join([*pairs, *(["…"] if len(entries) > EXAMPLES else [])])


def _short(word: str) -> str:
    return word if len(word) <= LONGEST_SHOWN else f"{word[: LONGEST_SHOWN - 1]}…"
