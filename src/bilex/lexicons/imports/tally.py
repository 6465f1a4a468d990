"""Counts of an importer while it reads, and the report at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from bilex.values import Entry, Lexicon, Progress

MOST_NAMES = 10_000
"""Languages and pairs that are counted separately; a damaged file must not fill the memory."""

SHOWN = 10
"""How many languages or pairs an error names."""

REPEATED = "repeated"


class Tally:
    """Counts the entries of a file, what is left out and why, and the languages in it.

    Attributes:
        entries: The entries that were read, in the sense of the resource: lines, articles, forms.
        left_out: How many words or pairs were left out, by the reason.
        changed: How many words were changed, by the change.
        found: How often each language, or pair of languages, occurs in the file.
        license: The license that the file names; empty if it names none.
        notes: What else a user should know.
    """

    def __init__(self, on_progress: Progress | None = None) -> None:
        self.entries = 0
        self.left_out: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.license = ""
        self.notes: list[str] = []
        self._on_progress = on_progress

    def leave_out(self, reason: str, number: int = 1) -> None:
        """Count what is left out; the reason follows a number, such as "without a word"."""
        if number:
            self.left_out[reason] += number

    def saw(self, name: str, number: int = 1) -> None:
        """Count a language or a pair of languages in the file."""
        if number and (name in self.found or len(self.found) < MOST_NAMES):
            self.found[name[:100]] += number

    def note(self, text: str) -> None:
        """Add a sentence for the user, if it is new."""
        if text not in self.notes:
            self.notes.append(text)

    def advance(self, done: int, total: int) -> None:
        """Report the bytes read so far and the size of the file."""
        if self._on_progress is not None:
            self._on_progress(min(done, total), total)

    def most_found(self) -> str:
        """Return the most frequent languages or pairs with their counts."""
        ranked = sorted(self.found.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{name} ({number:,})" for name, number in ranked[:SHOWN])
        more = len(ranked) - SHOWN
        return f"{shown} and {more:,} more" if more > 0 else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What was found in a resource.

    Attributes:
        importer: The name of the importer.
        entries: The entries that were read.
        pairs: The distinct pairs that were found.
        left_out: How many words or pairs were left out, by the reason; most frequent first.
        changed: How many words were changed, by the change.
        license: The license of the pairs; empty if it is unknown.
        notes: What else a user should know.
    """

    importer: str
    entries: int
    pairs: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    license: str = ""
    notes: tuple[str, ...] = ()

    @property
    def left_out_text(self) -> str:
        """Return what was left out, such as "12 without a word, 3 with markup"; or "nothing"."""
        return counted(self.left_out) or "nothing"

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return {
            "importer": self.importer,
            "entries": self.entries,
            "pairs": self.pairs,
            "left_out": dict(self.left_out),
            "changed": dict(self.changed),
            "license": self.license,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, repr=False)
class ImportedPairs:
    """The pairs of two languages in a resource.

    Attributes:
        entries: The distinct pairs, in the order of the resource.
        report: What was found, left out and changed, and the license.
        source_language: A language tag, such as "en".
        target_language: The same for the second word of a pair.
    """

    entries: tuple[Entry, ...]
    report: ImportReport
    source_language: str
    target_language: str

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        first = ", ".join(f"{entry.source} → {entry.target}" for entry in self.entries[:3])
        languages = f"{self.source_language}-{self.target_language}"
        return f"ImportedPairs({len(self):,} pairs {languages}: {first})"

    @property
    def lexicon(self) -> Lexicon:
        """Return the pairs as a lexicon."""
        return Lexicon(self.entries)


def pair_name(first: object, second: object) -> str:
    """Return the name of a pair of languages, such as "en-fi", with "?" for a missing code."""
    codes = (code if isinstance(code, str) and code else "?" for code in (first, second))
    return "-".join(codes)


def counted(counts: Mapping[str, int]) -> str:
    """Return counts as a text, such as "12 without a word, 3 with markup"."""
    return ", ".join(f"{number:,} {reason}" for reason, number in counts.items())


def ranked(counts: Counter[str]) -> dict[str, int]:
    """Return counts by name, largest first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
