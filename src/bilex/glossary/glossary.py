"""The terms of a text with their translations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from bilex.errors import SettingError
from bilex.glossary.index import How, Match, TermIndex
from bilex.glossary.prompt import prompt_block

if TYPE_CHECKING:
    from bilex.lexicons.dictionary import DictionaryEntry

EntriesOf = Callable[[int], "Sequence[DictionaryEntry]"]
"""Returns the entries of a row, the best first."""

CHECKED = ("reviewed", "seed")
"""Origins of entries that a person gave."""

_HOW = get_args(How)


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term of a dictionary that occurs in a text.

    Attributes:
        term: The term as it is in the dictionary.
        found: How it is written in the text, each form once; white space is one space.
        spans: Where it is, as start and end in characters.
        how: How it was found; the most reliable, if there are several ways.
        rank: Its rank in the dictionary, from 1; usually by frequency.
        targets: Its translations, the best first.
    """

    term: str
    found: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    how: How
    rank: int
    targets: tuple[DictionaryEntry, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        return {
            "term": self.term,
            "found": list(self.found),
            "how": self.how,
            "spans": [list(span) for span in self.spans],
            "rank": self.rank,
            "targets": [
                {"word": entry.target, "probability": entry.probability, "origin": entry.origin}
                for entry in self.targets
            ],
        }


@dataclass(frozen=True, slots=True)
class Glossary:
    """The terms of a text, in the order in which they first occur."""

    terms: tuple[GlossaryTerm, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        return {"terms": [term.to_dict() for term in self.terms]}

    def prompt(self, source_language: str = "und", target_language: str = "und") -> str:
        """Return the terms as plain text for the prompt of a language model; empty if none.

        The text says that translations are dictionary forms, which are uncertain, and which terms
        were found by a similar form. Terms are in double quotes, on one line each, with escapes as
        in JSON, so that they cannot be taken for instructions on a line of their own.

        Args:
            source_language: A language tag, such as "en"; "und" if unknown.
            target_language: The same for the translations.
        """
        return prompt_block(self.terms, source_language, target_language)


def make_glossary(
    text: str,
    index: TermIndex,
    entries_of: EntriesOf,
    *,
    max_terms: int = 50,
    k: int = 3,
    min_probability: float = 0.5,
    similar: bool = True,
) -> Glossary:
    """Find the terms of a dictionary in a text, and their translations.

    Args:
        text: Any text.
        index: Of the source words of the dictionary, the most frequent first.
        entries_of: Returns the entries of a row of the index, the best first.
        max_terms: Of more terms, the rarest are kept.
        k: Translations of each term.
        min_probability: Translations with a smaller probability, or with none, are left out, and
            so are terms that have no other. Seeds and reviewed translations are always kept,
            rejected ones never; reviewed translations come first.
        similar: Also find words that have the stem of a term and another usual ending.

    Raises:
        SettingError: If a number is out of range.

    Example:
        >>> from bilex.lexicons import DictionaryEntry
        >>> entries = (DictionaryEntry("dogs", "perros", 0.97),)
        >>> (term,) = make_glossary("Two Dogs", TermIndex(["dogs"]), lambda row: entries).terms
        >>> print(*term.found, term.how, term.targets[0].target)
        Dogs case perros
    """
    if max_terms < 1 or k < 1:
        raise SettingError(f"max_terms is {max_terms} and k is {k}: give numbers of at least 1")
    if not 0 <= min_probability <= 1:
        raise SettingError(f"min_probability is {min_probability}: give a number from 0 to 1")
    places: dict[int, list[Match]] = {}
    for match in index.find(text, similar=similar):
        places.setdefault(match.row, []).append(match)
    kept: dict[int, tuple[DictionaryEntry, ...]] = {}
    for row in sorted(places, reverse=True):  # the rarest first
        targets = _chosen(entries_of(row), k, min_probability)
        if targets:
            kept[row] = targets
            if len(kept) == max_terms:
                break
    return Glossary(
        tuple(
            _term(text, index.terms[row], row, matches, kept[row])
            for row, matches in places.items()
            if row in kept
        )
    )


def _chosen(
    entries: Sequence[DictionaryEntry], k: int, min_probability: float
) -> tuple[DictionaryEntry, ...]:
    wanted = [
        entry
        for entry in entries
        if entry.origin in CHECKED
        or (entry.origin != "rejected" and (entry.probability or 0.0) >= min_probability)
    ]
    wanted.sort(key=lambda entry: entry.origin != "reviewed")
    return tuple(wanted[:k])


def _term(
    text: str, term: str, row: int, matches: list[Match], targets: tuple[DictionaryEntry, ...]
) -> GlossaryTerm:
    forms = (" ".join(text[match.start : match.end].split()) for match in matches)
    return GlossaryTerm(
        term=term,
        found=tuple(dict.fromkeys(forms)),
        spans=tuple((match.start, match.end) for match in matches),
        how=min((match.how for match in matches), key=_HOW.index),
        rank=row + 1,
        targets=targets,
    )
