"""Which word is asked next: policies that give each word a priority.

A policy is a plugin. Another package adds one with a frozen dataclass that has the method of
`ReviewPolicy`, declared in the entry-point group `bilex.review_queue`. A policy is a pure function
of arrays: the same words get the same priorities on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np

from bilex.errors import SettingError
from bilex.review.project import Project, ReviewItem, ReviewWord
from bilex.review.projection import ReviewedEntry
from bilex.review.returning import as_asked

Array = np.ndarray[Any, Any]

ZIPF_SHIFT = 2.7
"""Frequency by rank r from 0 is proportional to 1 / (r + 1 + shift): Zipf's law with the shift that
Mandelbrot (1953) found for the first words of English."""

_ORDERS = 2**64  # of `Project.order`


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueueFeatures:
    """What policies know of the words, one row for each word.

    Attributes:
        ranks: Rank by frequency, from 0: (n,).
        probabilities: That each candidate is right, in the order in which candidates are shown:
            (n, k). 0 where there is no candidate, not a number where its probability is not known.
        lots: A random number from 0 to 1 for each word, the project's random order: (n,).
        again: Whether the word is asked again, since all candidates of an earlier model were
            rejected: (n,). It has no entry now, and `probabilities` are of candidates that nobody
            has rejected. If not given, no word is.
    """

    ranks: Array
    probabilities: Array
    lots: Array
    again: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        n = len(self.ranks)
        if not len(self.again):
            object.__setattr__(self, "again", np.zeros(n, dtype=bool))
        if self.probabilities.ndim != 2 or {
            len(each) for each in (self.probabilities, self.lots, self.again)
        } != {n}:
            raise SettingError(
                f"{n} ranks, probabilities of shape {self.probabilities.shape}, {len(self.lots)} "
                f"lots and {len(self.again)} marks of words that are asked again: expected one row "
                "for each word"
            )

    def __len__(self) -> int:
        return len(self.ranks)

    @classmethod
    def of(cls, project: Project, words: Iterable[ReviewWord]) -> Self:
        """Return the features of words that nobody has rejected, in their order."""
        return cls.of_items(
            project, [ReviewItem(word=word, entry=ReviewedEntry(word=word.word)) for word in words]
        )

    @classmethod
    def of_items(cls, project: Project, items: Iterable[ReviewItem]) -> Self:
        """Return the features of the words of a project, in their order."""
        found = list(items)
        given = [as_asked(item) for item in found]
        width = max((len(each.candidates) for each in given), default=0)
        chances = np.zeros((len(given), max(1, width)))
        for row, each in enumerate(given):
            for column, candidate in enumerate(each.candidates):
                known = candidate.probability is not None
                chances[row, column] = candidate.probability if known else np.nan
        return cls(
            ranks=np.array([each.rank for each in given], dtype=np.int64),
            probabilities=chances,
            lots=np.array([0.5 + project.order(each.word) / _ORDERS for each in given]),
            again=np.array([item.again for item in found], dtype=bool),
        )

    @property
    def frequencies(self) -> Array:
        """Return the frequency of each word relative to the most frequent one, by Zipf's law."""
        return zipf(self.ranks)

    @property
    def first(self) -> Array:
        """Return the probability of the first candidate; 0.5 where it is not known."""
        return np.nan_to_num(self.probabilities[:, 0], nan=0.5)

    @property
    def others(self) -> Array:
        """Return the probability that the first candidate is wrong and a later one is right."""
        later = np.nan_to_num(self.probabilities[:, 1:], nan=0.0).sum(1)
        return np.asarray(np.minimum(later, 1 - self.first))

    @property
    def any_right(self) -> Array:
        """Return the probability that one of the candidates is right."""
        return np.asarray(self.first + self.others)


class ReviewPolicy(Protocol):
    """Decides in which order words are asked."""

    def priorities(self, words: QueueFeatures) -> Array:
        """Return the priority of each word; the word with the highest one is asked first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """Asks the most frequent words first."""

    def priorities(self, words: QueueFeatures) -> Array:
        """Return the frequency of each word."""
        return words.frequencies


@dataclass(frozen=True, slots=True, kw_only=True)
class Random:
    """Asks words in the project's random order, which is the order of the audit, too."""

    def priorities(self, words: QueueFeatures) -> Array:
        """Return the lot of each word; the smallest is first."""
        return -words.lots


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """Asks the words first whose answers are worth most.

    The worth of an answer is the sum of two expectations:

    - What it corrects: the first candidate is wrong with probability 1 − p, times the frequency of
      the word, so that text is covered soon. A word that is asked again has no entry now: there it
      is the probability that one of the candidates is right, times the frequency.
    - What the model learns: the probability that the first candidate is wrong and a later one is
      right. From such a pair the model learns what it would not have found alone. It learns little
      from a word of which no candidate is probable.

    Attributes:
        learning: Weight of what the model learns. Frequencies are relative to the most frequent
            word: 0.02 is the frequency of the word of rank 180. With 0, only corrections count.
    """

    learning: float = 0.02

    def __post_init__(self) -> None:
        if not self.learning >= 0:
            raise SettingError(f"learning is {self.learning}: give 0 or more")

    def priorities(self, words: QueueFeatures) -> Array:
        """Return the expected worth of an answer about each word."""
        corrected = np.where(words.again, words.any_right, 1 - words.first)
        return np.asarray(words.frequencies * corrected + self.learning * words.others)


def zipf(ranks: Array | Sequence[int]) -> Array:
    """Return the frequency of words by rank from 0, relative to the most frequent word."""
    return np.asarray((1 + ZIPF_SHIFT) / (np.asarray(ranks, dtype=np.float64) + 1 + ZIPF_SHIFT))
