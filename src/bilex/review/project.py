"""A review project as plain values: its words, their candidates, and what pages show of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bilex.errors import SettingError
from bilex.review.events import LONGEST_WORD, Kind, Reason, text_problem
from bilex.review.projection import ReviewedEntry, State

UNLISTED_RANK = 2**31 - 1
"""The rank of a word that has events but is not in the project's list of words."""


class Candidate(NamedTuple):
    """A suggested translation.

    Attributes:
        target: The translation.
        probability: That it is right; None if not known.
        origin: Where it comes from: "seed", "induced", "dictionary", ...
    """

    target: str
    probability: float | None = None
    origin: str = "induced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewWord:
    """A word to be reviewed.

    Attributes:
        word: The source word.
        rank: Its rank by frequency, from 0; `UNLISTED_RANK` if it is not in the project's list.
        candidates: Suggested translations, the best one first.
    """

    word: str
    rank: int
    candidates: tuple[Candidate, ...] = ()

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise SettingError(f"the word {self.word[:80]!r} cannot be reviewed: {problem}")

    def _problem(self) -> str:
        if not self.word.strip():
            return "it is empty; leave it out"
        if len(self.word) > LONGEST_WORD:
            return f"{len(self.word)} characters, expected at most {LONGEST_WORD}; leave it out"
        if not 0 <= self.rank <= UNLISTED_RANK:
            return f"rank {self.rank}, expected 0 to {UNLISTED_RANK}"
        for text in (self.word, *(each.target for each in self.candidates)):
            problem = text_problem(text)
            if problem:
                return f"{problem}; clean the vocabulary or leave the word out"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is reviewed.

    Attributes:
        title: A name for people.
        source_language: The language code of the words.
        target_language: The language code of the translations.
        model: The identity of the model that made the candidates; empty if none did.
        seed: Of the project's random order of words.
    """

    title: str = ""
    source_language: str = ""
    target_language: str = ""
    model: str = ""
    seed: int = 0

    def order(self, word: str) -> int:
        """Return the place of a word in the project's random order, as a 64-bit signed number.

        It is a keyed hash, so that every copy of a project has the same order.
        """
        key = str(self.seed).encode()[:64]
        digest = hashlib.blake2b(word.encode(), digest_size=8, key=key).digest()
        return int.from_bytes(digest, "big", signed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A word with its candidates and what reviewers have decided.

    Attributes:
        word: The word.
        entry: What reviewers have decided.
        again: Whether the word was rejected and is asked again (`bilex.review.returning`).
    """

    word: ReviewWord
    entry: ReviewedEntry
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """Some items of a list.

    Attributes:
        items: In the order of (rank, word).
        after: Where the next page starts; None on the last page.
    """

    items: tuple[ReviewItem, ...]
    after: str | None = None

    def __iter__(self) -> Iterator[ReviewItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class Tally(NamedTuple):
    """How many events of a kind a reviewer made on a day (UTC), by the reason for asking."""

    day: str
    reviewer: str
    kind: Kind
    reason: Reason
    events: int

    @property
    def is_decision(self) -> bool:
        """Return whether these events say what an entry should be."""
        return self.kind in ("accept", "none", "not-entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How far a project is.

    Attributes:
        states: Words by state; every state is there. Words that only have events, but are not in
            the project's list, are not counted.
        tallies: Events by day, reviewer, kind and reason, sorted. Undone events are counted, too:
            they were made.
    """

    states: Mapping[State, int]
    tallies: tuple[Tally, ...] = ()

    @property
    def words(self) -> int:
        """Return the number of words."""
        return sum(self.states.values())

    @property
    def decided(self) -> int:
        """Return the number of words with a decision, disputed ones included."""
        return self.words - self.states["open"] - self.states["skipped"]

    @property
    def events(self) -> int:
        """Return the number of events."""
        return sum(each.events for each in self.tallies)

    @property
    def decisions(self) -> dict[tuple[str, str], int]:
        """Return the number of decisions by day and reviewer."""
        found: dict[tuple[str, str], int] = {}
        for each in self.tallies:
            if each.is_decision:
                key = (each.day, each.reviewer)
                found[key] = found.get(key, 0) + each.events
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateChanges:
    """What a new model changed in a project.

    Attributes:
        added: New words.
        removed: Words that are gone because nobody had touched them.
        kept: Words that the new model does not have, kept because they have events.
        changed: Words with another best candidate than before.
        confirmed: Accepted words whose best candidate is now an accepted translation, and was not.
        contradicted: Accepted words whose best candidate was an accepted translation, and is not.
        returning: Rejected words that are asked again, because they have candidates now that nobody
            has rejected.
    """

    added: int = 0
    removed: int = 0
    kept: int = 0
    changed: int = 0
    confirmed: int = 0
    contradicted: int = 0
    returning: int = 0
