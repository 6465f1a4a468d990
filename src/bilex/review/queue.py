"""Which word is asked next: policies that give each word a priority.

A policy is a plugin. Another package adds one with a frozen dataclass that has the method of
`ReviewPolicy`, declared in the entry-point group `bilex.review_queue`. A policy is a pure function
of arrays: the same words get the same priorities on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from bilex.errors import SettingError
from bilex.review.project import Project, ReviewWord

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
    """

    ranks: Array
    probabilities: Array
    lots: Array

    def __post_init__(self) -> None:
        n = len(self.ranks)
        if self.probabilities.ndim != 2 or len(self.probabilities) != n or len(self.lots) != n:
            raise SettingError(
                f"{n} ranks, probabilities of shape {self.probabilities.shape} and "
                f"{len(self.lots)} lots: expected one row for each word"
            )

    def __len__(self) -> int:
        return len(self.ranks)

    @classmethod
    def of(cls, project: Project, words: Iterable[ReviewWord]) -> Self:
        """Return the features of the words of a project, in their order."""
        given = list(words)
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
      the word, so that text is covered soon.
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
        corrected = words.frequencies * (1 - words.first)
        return np.asarray(corrected + self.learning * words.others)


def zipf(ranks: Array | Sequence[int]) -> Array:
    """Return the frequency of words by rank from 0, relative to the most frequent word."""
    return np.asarray((1 + ZIPF_SHIFT) / (np.asarray(ranks, dtype=np.float64) + 1 + ZIPF_SHIFT))
