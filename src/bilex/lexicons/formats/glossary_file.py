"""Glossary files of translation services: their rows, and rules for what they may hold.

A service that finds an invalid entry refuses the whole file, or ignores the entry. So entries that
break a rule are left out and reported; no word is changed or cut. If a word may have only one
translation, it is the reviewed one, else the seed, else the most probable, else the best ranked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata, Origin
from bilex.lexicons.formats.selection import LeftOutEntry, Selection
from bilex.lexicons.formats.xml_text import fits_xml

MEBIBYTES_10 = 10 * 2**20

Check = Callable[[str], str]
"""Returns what is wrong with a word; empty if nothing is."""

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_PREFERENCE: dict[Origin, int] = {"reviewed": 0, "seed": 1, "induced": 2, "rejected": 3}


class Once(NamedTuple):
    """What may occur only once in a file.

    Attributes:
        key: Returns what must not be repeated.
        reason: Why an entry that repeats it is left out.
    """

    key: Callable[[DictionaryEntry], Hashable]
    reason: str


ONE_TARGET = Once(lambda entry: entry.source, "further translation of a word")
ONE_SOURCE = Once(lambda entry: entry.target, "target that translates another word")
ONE_PAIR = Once(lambda entry: (entry.source, entry.target), "repeated pair")


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryFile:
    """The text of a glossary file, and which entries it may hold.

    Attributes:
        row: Returns the text of one entry.
        start: Returns the text before the entries.
        end: The text after the entries.
        checks: What each word must fulfill; the first that fails is the reason.
        once: What may occur only once.
        largest: The size of the largest file; None if there is no limit.
        size: Measures a text: in bytes of UTF-8 unless given.
        unit: The unit of size.
    """

    row: Callable[[DictionaryEntry, DictionaryMetadata], str]
    start: Callable[[DictionaryMetadata], str] = lambda metadata: ""
    end: str = ""
    checks: tuple[Check, ...] = ()
    once: tuple[Once, ...] = (ONE_TARGET,)
    largest: int | None = None
    size: Callable[[str], int] = lambda text: len(text.encode())
    unit: str = "bytes"

    def render(
        self, entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata
    ) -> Iterator[str]:
        """Yield the text of the file."""
        yield self.start(metadata)
        for entry in entries:
            yield self.row(entry, metadata)
        yield self.end

    def select(self, entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Selection:
        """Return the entries that the file holds, and the others with a reason each."""
        given = list(entries)
        reasons = [self._problem(entry) for entry in given]
        self._choose(given, reasons)
        self._fill(given, reasons, metadata)
        return Selection(
            [entry for entry, reason in zip(given, reasons, strict=True) if not reason],
            [LeftOutEntry(e, reason) for e, reason in zip(given, reasons, strict=True) if reason],
        )

    def _problem(self, entry: DictionaryEntry) -> str:
        for name, word in (("source", entry.source), ("target", entry.target)):
            for check in self.checks:
                if problem := check(word):
                    return f"{name} {problem}"
        return ""

    def _choose(self, entries: list[DictionaryEntry], reasons: list[str]) -> None:
        """Give a reason to each entry that repeats something of a better one."""
        seen: list[set[Hashable]] = [set() for _ in self.once]
        fitting = (place for place, reason in enumerate(reasons) if not reason)
        for place in sorted(fitting, key=lambda place: _preference(entries[place])):
            keys = [once.key(entries[place]) for once in self.once]
            repeated = [key in found for key, found in zip(keys, seen, strict=True)]
            if any(repeated):
                reasons[place] = self.once[repeated.index(True)].reason
                continue
            for key, found in zip(keys, seen, strict=True):
                found.add(key)

    def _fill(
        self, entries: list[DictionaryEntry], reasons: list[str], metadata: DictionaryMetadata
    ) -> None:
        """Give a reason to all entries from the first one that makes the file too large."""
        if self.largest is None:
            return
        size = self.size(self.start(metadata)) + self.size(self.end)
        for place, entry in enumerate(entries):
            if not reasons[place]:
                size += self.size(self.row(entry, metadata))
                if size > self.largest:
                    reasons[place] = f"beyond the {self.largest:,} {self.unit} of a file"


def _preference(entry: DictionaryEntry) -> tuple[int, float, float]:
    """Return a key that sorts the best of several translations first."""
    probability = -1.0 if entry.probability is None else entry.probability
    rank = float("inf") if entry.rank is None else entry.rank
    return _PREFERENCE[entry.origin], -probability, rank


def at_most(longest: int) -> Check:
    """Return a check of the length of a word in UTF-8."""

    def check(word: str) -> str:
        return f"longer than {longest:,} bytes" if len(word.encode()) > longest else ""

    return check


def on_one_line(word: str) -> str:
    """Refuse control characters (C0, delete, C1), line separators and byte-order marks."""
    return "with a control character or line separator" if _CONTROLS.search(word) else ""


def stripped(word: str) -> str:
    """Refuse white space of any kind at the start or end of a word."""
    return "with white space at its start or end" if word != word.strip() else ""


def without(characters: str, name: str) -> Check:
    """Return a check that refuses characters anywhere in a word."""

    def check(word: str) -> str:
        return f"with a {name}" if any(character in word for character in characters) else ""

    return check


def not_starting_with(characters: str) -> Check:
    """Return a check that refuses characters at the start of a word."""

    def check(word: str) -> str:
        return f"starting with {word[0]}" if word[0] in characters else ""

    return check


def held_by_xml(word: str) -> str:
    """Refuse what an XML file cannot hold as it is."""
    return "" if fits_xml(word) else "with a character that XML cannot hold"


without_quotes = without('"', "double quote")
"""Vendors contradict each other, and at times themselves, on how to write a quote in a cell."""

PLAIN = (on_one_line, stripped, without_quotes)
"""Checks for words in text files with one row a line."""


def tab_row(entry: DictionaryEntry, metadata: DictionaryMetadata) -> str:
    """Return a line with a tab between the words."""
    return f"{entry.source}\t{entry.target}\n"


def comma_row(entry: DictionaryEntry, metadata: DictionaryMetadata) -> str:
    """Return a line with a comma between the words; a word with a comma is in double quotes."""
    return ",".join(f'"{word}"' if "," in word else word for word in entry[:2]) + "\n"


def language_row(metadata: DictionaryMetadata) -> str:
    """Return a header line with the codes of both languages."""
    return f"{metadata.source_language},{metadata.target_language}\n"
