"""What to ask a reviewer next: audits, second opinions, skipped words, then the queue.

What is asked after an event is drawn by a hash of that event, not by a counter. So a reviewer who
loads the page again gets the same question, and nothing has to be stored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bilex.errors import SettingError
from bilex.review.events import Event, Reason
from bilex.review.project import ReviewItem


class WordSource(Protocol):
    """The methods of `ReviewStore` that give words to ask; each holds the word for the reviewer."""

    def next_word(self, policy: str, reviewer: str) -> ReviewItem | None:
        """Return the waiting word of highest priority."""
        ...

    def next_audit(self, reviewer: str) -> ReviewItem | None:
        """Return the next open word in the project's random order."""
        ...

    def next_second(self, reviewer: str) -> ReviewItem | None:
        """Return a word that others have decided."""
        ...

    def next_skipped(self, reviewer: str) -> ReviewItem | None:
        """Return the word that was skipped longest ago."""
        ...

    def last_events(self, reviewer: str, limit: int) -> list[Event]:
        """Return the last events of a reviewer, the latest one first."""
        ...

    def release(self, word: str, reviewer: str) -> None:
        """Let others be asked a word."""
        ...


class Question(NamedTuple):
    """A word to ask, why, and by which queue policy; empty if none chose it."""

    item: ReviewItem
    reason: Reason
    policy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """Decides what a reviewer is asked.

    Attributes:
        audits: The share of questions that are words of the random audit.
        seconds: The share of questions that are second opinions, if others have decided words.
        returns: The largest share of questions that are skipped words.
        skipped_after: A skipped word returns to the same reviewer after this many other events, or
            when no other word is left.
    """

    audits: float = 0.1
    seconds: float = 0.1
    returns: float = 0.1
    skipped_after: int = 30

    def __post_init__(self) -> None:
        shares = {"audits": self.audits, "seconds": self.seconds, "returns": self.returns}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise SettingError(f"the share of {name} is {share}: give a number from 0 to 1")
        if sum(shares.values()) > 1:
            raise SettingError(f"the shares {shares} are more than 1 together: make one smaller")
        if self.skipped_after < 0:
            raise SettingError(f"skipped_after is {self.skipped_after}: give 0 or more")

    def next_question(
        self, words: WordSource, reviewer: str, *, policy: str, seed: int = 0
    ) -> Question | None:
        """Return the next question; None if nothing is left for this reviewer.

        Args:
            words: Where words come from; a `ReviewStore`.
            reviewer: Who is asked.
            policy: The queue policy.
            seed: Of the project.
        """
        recent = words.last_events(reviewer, max(1, self.skipped_after))
        lot = _lot(seed, reviewer, recent[0].id if recent else "")
        found: Question | None = None
        if lot < self.audits:
            found = _question(words.next_audit(reviewer), "audit")
        elif lot < self.audits + self.seconds:
            found = _question(words.next_second(reviewer), "second")
        elif lot < self.audits + self.seconds + self.returns:
            found = self._skipped(words, reviewer, recent)
        return (
            found
            or _question(words.next_word(policy, reviewer), "queue", policy)
            or self._skipped(words, reviewer, recent)
            or _question(words.next_second(reviewer), "second")
            or _question(words.next_skipped(reviewer), "queue")
        )

    def _skipped(self, words: WordSource, reviewer: str, recent: list[Event]) -> Question | None:
        """Return a skipped word, unless this reviewer has skipped it lately."""
        item = words.next_skipped(reviewer)
        if item is None:
            return None
        lately = recent[: self.skipped_after]
        if any(event.word == item.word.word and event.kind == "skip" for event in lately):
            words.release(item.word.word, reviewer)
            return None
        return Question(item, "queue")


def _question(item: ReviewItem | None, reason: Reason, policy: str = "") -> Question | None:
    if item is None:
        return None
    return Question(item, "again" if item.again else reason, policy)


def _lot(seed: int, reviewer: str, event: str) -> float:
    """Return a number from 0 to 1 that is the same for the same event."""
    text = f"{seed}\0{reviewer}\0{event}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big") / 2**56
