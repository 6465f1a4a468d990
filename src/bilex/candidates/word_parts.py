"""Which beginnings and endings of words go together in translations.

Endings show the form of a word: its number, tense or part of speech. Beginnings show how loanwords
and names are spelled in the other language, in any script. Which of them go together is counted in
word pairs that a map finds among all frequent words, so it takes no seeds and no rules for a
language. A part that is common in one language says nothing if it is equally common beside all
parts of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch

from bilex.retrieval import Side
from bilex.similarity import mutual_nearest
from bilex.values import Matrix, unit_rows

LENGTHS = (1, 2, 3)
"""How many letters of a word are compared."""

_FREQUENT, _MOST = 20_000, 10_000  # words of each language that are searched, and pairs found
_LIKE_CHANCE = 0.5  # rare parts: as if they had been seen together this often, times the expected
_FLOOR = 0.05

Cut = Callable[[str], str]
"""Returns a part of a word."""


class WordPairs(NamedTuple):
    """Pairs of words, as rows of both vocabularies: (n_pairs,), long."""

    source_ids: torch.Tensor
    target_ids: torch.Tensor

    def reversed(self) -> WordPairs:
        """Return the same pairs in the other direction."""
        return WordPairs(self.target_ids, self.source_ids)


def find_pairs(source: Side, target: Side) -> WordPairs:
    """Return the frequent words that are each other's nearest under a map, the surest ones."""
    rows = [unit_rows(side.carry(side.space.vectors[:_FREQUENT])) for side in (source, target)]
    found = mutual_nearest(*rows)
    return WordPairs(found.source_ids[:_MOST].cpu(), found.target_ids[:_MOST].cpu())


class PartFit(NamedTuple):
    """How well parts of words and candidates go together, as log ratios: (n_words, k) each."""

    beginnings: Matrix
    endings: Matrix


class WordParts:
    """Parts of the words of two languages, and how often they are found together.

    Args:
        pairs: Words that are taken for translations.
        source: The words of one language.
        target: The words of the other, whose rows are candidates.
    """

    def __init__(self, pairs: WordPairs, source: Sequence[str], target: Sequence[str]) -> None:
        sources = [source[row] for row in pairs.source_ids.tolist()]
        targets = [target[row] for row in pairs.target_ids.tolist()]
        self._tables = [
            [_Table.count(sources, targets, cut(length)) for length in LENGTHS]
            for cut in (_beginning, _ending)
        ]
        self._target = target

    def fit(self, words: Sequence[str], ids: torch.Tensor) -> PartFit:
        """Return how much more often parts are found together than by chance, as log ratios.

        Those of parts of all `LENGTHS` are added.

        Args:
            words: Of the source language, known or not.
            ids: The candidates of each word: (n_words, k).
        """
        found = [
            torch.stack(
                [
                    table.association(table.source_numbers(words), numbers[ids])
                    for table, numbers in zip(tables, their_numbers, strict=True)
                ]
            ).sum(0)
            for tables, their_numbers in zip(self._tables, self._target_numbers, strict=True)
        ]
        return PartFit(*found)

    @cached_property
    def _target_numbers(self) -> list[list[torch.Tensor]]:
        """Return the numbers of the parts of all words of the target language."""
        return [[table.target_numbers(self._target) for table in some] for some in self._tables]


@dataclass(frozen=True, eq=False)
class _Table:
    """How often parts of one kind are found, alone and together. Number 0 is a part never found."""

    cut: Cut
    sources: dict[str, int]
    targets: dict[str, int]
    source_counts: torch.Tensor
    target_counts: torch.Tensor
    keys: torch.Tensor  # of parts that are found together, sorted
    counts: torch.Tensor
    total: int

    @classmethod
    def count(cls, sources: Sequence[str], targets: Sequence[str], cut: Cut) -> _Table:
        source_index, target_index = _index(map(cut, sources)), _index(map(cut, targets))
        left = _numbers(map(cut, sources), source_index)
        right = _numbers(map(cut, targets), target_index)
        width = 1 + len(target_index)
        keys, counts = torch.unique(left * width + right, return_counts=True)
        return cls(
            cut,
            source_index,
            target_index,
            torch.bincount(left, minlength=1 + len(source_index)),
            torch.bincount(right, minlength=width),
            keys,
            counts,
            len(sources),
        )

    def source_numbers(self, words: Iterable[str]) -> torch.Tensor:
        return _numbers(map(self.cut, words), self.sources)

    def target_numbers(self, words: Iterable[str]) -> torch.Tensor:
        return _numbers(map(self.cut, words), self.targets)

    def association(self, source: torch.Tensor, target: torch.Tensor) -> Matrix:
        """Return log ratios of numbers (n_words,) with those of candidates (n_words, k)."""
        keys = source[:, None] * len(self.target_counts) + target
        place = torch.searchsorted(self.keys, keys).clamp(max=max(0, len(self.keys) - 1))
        together = torch.zeros(keys.shape, dtype=torch.float64)
        if len(self.keys):
            together = torch.where(self.keys[place] == keys, self.counts[place], 0).double()
        alone = self.source_counts[source][:, None] * self.target_counts[target]
        expected = alone.double() / max(1, self.total)
        found = together + _LIKE_CHANCE * expected + _FLOOR
        return (found / ((1 + _LIKE_CHANCE) * expected + _FLOOR)).log().float()


def _beginning(length: int) -> Cut:
    return lambda word: word.casefold()[:length]


def _ending(length: int) -> Cut:
    return lambda word: word.casefold()[-length:]


def _index(parts: Iterable[str]) -> dict[str, int]:
    return {part: number for number, part in enumerate(dict.fromkeys(parts), start=1)}


def _numbers(parts: Iterable[str], index: dict[str, int]) -> torch.Tensor:
    return torch.tensor([index.get(part, 0) for part in parts], dtype=torch.long)
