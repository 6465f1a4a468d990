"""Which beginnings and endings of words go together in translations.

Endings show the form of a word: its number, tense or part of speech. Beginnings show how loanwords
and names are spelled in the other language, in any script. Which of them go together is counted in
word pairs that a map finds among all frequent words, so it takes no seeds and no rules for a
language. A part that is common in one language says nothing if it is equally common beside all
parts of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch

from bilex.retrieval import Side
from bilex.similarity import mutual_nearest
from bilex.values import Compute, EmbeddingSpace, IndexedLexicon, Matrix, unit_rows

LENGTHS = (1, 2, 3)
"""How many letters of a word are compared."""

FREQUENT = 20_000
"""How many of the most frequent words of a language are searched for pairs."""

_MOST = 10_000  # pairs
_LIKE_CHANCE = 0.5  # rare parts: as if they had been seen together this often, times the expected
_FLOOR = 0.05


class WordPairs(NamedTuple):
    """Pairs of words, as rows of both vocabularies: (n_pairs,), long."""

    source_ids: torch.Tensor
    target_ids: torch.Tensor

    @classmethod
    def of(cls, lexicon: IndexedLexicon) -> WordPairs:
        """Return the pairs of a lexicon."""
        return cls(lexicon.source_ids.cpu(), lexicon.target_ids.cpu())

    def reversed(self) -> WordPairs:
        """Return the same pairs in the other direction."""
        return WordPairs(self.target_ids, self.source_ids)


def find_pairs(source: Side, target: Side, compute: Compute | None = None) -> WordPairs:
    """Return the frequent words that are each other's nearest under a map, the surest ones."""
    rows = [unit_rows(side.carry(side.space.vectors[:FREQUENT])) for side in (source, target)]
    found = mutual_nearest(*rows, compute=compute)
    return WordPairs(found.source_ids[:_MOST].cpu(), found.target_ids[:_MOST].cpu())


class WordParts:
    """Parts of the words of two languages, and how often they are found together.

    Args:
        pairs: Words that are taken for translations.
        source: The words of one language.
        target: The words of the other, whose rows are candidates.
    """

    def __init__(self, pairs: WordPairs, source: EmbeddingSpace, target: EmbeddingSpace) -> None:
        self._pairs, self._spaces = pairs, (source, target)

    def beginnings(self, words: Sequence[str], ids: torch.Tensor) -> Matrix:
        """Return how much more often beginnings are found together than by chance: (n_words, k).

        The log ratios of beginnings of all `LENGTHS` are added.

        Args:
            words: Of the source language, known or not.
            ids: The candidates of each word: (n_words, k).
        """
        return _association(self._beginnings, words, ids)

    def endings(self, words: Sequence[str], ids: torch.Tensor) -> Matrix:
        """Return the same for endings."""
        return _association(self._endings, words, ids)

    @cached_property
    def _beginnings(self) -> list[_Table]:
        return self._count([parts_of(space).beginnings for space in self._spaces])

    @cached_property
    def _endings(self) -> list[_Table]:
        return self._count([parts_of(space).endings for space in self._spaces])

    def _count(self, parts: list[list[Parts]]) -> list[_Table]:
        return [_Table.count(self._pairs, *both) for both in zip(*parts, strict=True)]


def _association(tables: list[_Table], words: Sequence[str], ids: torch.Tensor) -> Matrix:
    folded = [word.casefold() for word in words]
    return torch.stack([table.association(folded, ids) for table in tables]).sum(0)


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one kind of the words of a language, numbered from 1. Any other part is 0."""

    cut: slice
    number_of: dict[str, int]
    numbers: torch.Tensor  # of the part of each word: (n_words,)

    @classmethod
    def of(cls, folded: Sequence[str], cut: slice) -> Parts:
        """Number the parts of words in lower case."""
        number_of: dict[str, int] = {}
        numbers = [number_of.setdefault(word[cut], len(number_of) + 1) for word in folded]
        return cls(cut, number_of, torch.tensor(numbers, dtype=torch.int32))

    def find(self, folded: Iterable[str]) -> torch.Tensor:
        """Return the numbers of the parts of other words."""
        found = [self.number_of.get(word[self.cut], 0) for word in folded]
        return torch.tensor(found, dtype=torch.long)

    def count(self, rows: torch.Tensor) -> torch.Tensor:
        """Return how often words have each part."""
        return torch.bincount(self.numbers[rows], minlength=1 + len(self.number_of))


class PartsOfWords(NamedTuple):
    """The parts of the words of a language, of each of the `LENGTHS`."""

    beginnings: list[Parts]
    endings: list[Parts]


_PARTS: WeakKeyDictionary[EmbeddingSpace, PartsOfWords] = WeakKeyDictionary()


def parts_of(space: EmbeddingSpace) -> PartsOfWords:
    """Return the parts of all words; cached as long as the space exists."""
    if space not in _PARTS:
        folded = [word.casefold() for word in space.words]
        _PARTS[space] = PartsOfWords(
            [Parts.of(folded, slice(length)) for length in LENGTHS],
            [Parts.of(folded, slice(-length, None)) for length in LENGTHS],
        )
    return _PARTS[space]


@dataclass(frozen=True, eq=False)
class _Table:
    """How often parts of one kind are found, alone and together."""

    source: Parts
    target: Parts
    source_counts: torch.Tensor
    target_counts: torch.Tensor
    keys: torch.Tensor  # of parts that are found together, sorted
    counts: torch.Tensor
    total: int

    @classmethod
    def count(cls, pairs: WordPairs, source: Parts, target: Parts) -> _Table:
        source_counts = source.count(pairs.source_ids)
        target_counts = target.count(pairs.target_ids)
        left, right = source.numbers[pairs.source_ids], target.numbers[pairs.target_ids]
        keys, counts = torch.unique(left.long() * len(target_counts) + right, return_counts=True)
        return cls(
            source, target, source_counts, target_counts, keys, counts, len(pairs.source_ids)
        )

    def association(self, folded: Sequence[str], ids: torch.Tensor) -> Matrix:
        """Return the log ratios of words (n_words,) and their candidates (n_words, k)."""
        left, right = self.source.find(folded)[:, None], self.target.numbers[ids]
        keys = left * len(self.target_counts) + right
        place = torch.searchsorted(self.keys, keys).clamp(max=max(0, len(self.keys) - 1))
        together = torch.zeros(keys.shape, dtype=torch.float64)
        if len(self.keys):
            together = torch.where(self.keys[place] == keys, self.counts[place], 0).double()
        alone = self.source_counts[left] * self.target_counts[right]
        expected = alone.double() / max(1, self.total)
        found = together + _LIKE_CHANCE * expected + _FLOOR
        return (found / ((1 + _LIKE_CHANCE) * expected + _FLOOR)).log().float()
