"""Which forms of words the seeds use, such as the base form.

A vocabulary has many forms of a word, and nearly the same vectors for all of them. A lexicon has
one form. Which one, the seeds show by the endings of their words, alone and in pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch

from bilex.candidates.word_parts import FREQUENT, Parts, WordPairs, WordParts, parts_of
from bilex.values import EmbeddingSpace, Matrix

_AS_IF_SEEN = 3.0  # a rare ending is taken for as usual among seeds as elsewhere


class Forms:
    """The endings of the words of seeds.

    Args:
        seeds: Pairs of words that are translations; none says nothing about any form.
        source: The words of one language.
        target: The words of the other, whose rows are candidates.
    """

    def __init__(
        self, seeds: WordPairs | None, source: EmbeddingSpace, target: EmbeddingSpace
    ) -> None:
        none = torch.empty(0, dtype=torch.long)
        self._seeds = WordPairs(none, none) if seeds is None else seeds
        self._pairs = WordParts(self._seeds, source, target)
        self._target = target

    def usual(self, ids: torch.Tensor) -> Matrix:
        """Return how much more often seeds end like the candidates than other words: (n_words, k).

        These are log ratios to the most frequent words of the language, added for endings of
        different lengths.

        Args:
            ids: The candidates of each word: (n_words, k).
        """
        return torch.stack(
            [
                ratios[parts.numbers[ids]]
                for ratios, parts in zip(self._ratios, parts_of(self._target).endings, strict=True)
            ]
        ).sum(0)

    def together(self, words: Sequence[str], ids: torch.Tensor) -> Matrix:
        """Return how well the endings of words and candidates go together in seed pairs."""
        return self._pairs.endings(words, ids)

    @cached_property
    def _ratios(self) -> list[torch.Tensor]:
        return [self._ratio(parts) for parts in parts_of(self._target).endings]

    def _ratio(self, parts: Parts) -> torch.Tensor:
        """Return the log ratio of each ending: (n_endings + 1,)."""
        seeds = torch.unique(self._seeds.target_ids)
        frequent = torch.arange(min(FREQUENT, len(self._target)))
        everywhere = parts.count(frequent).double() + 1
        expected = everywhere * (len(seeds) / len(frequent))
        return ((parts.count(seeds) + _AS_IF_SEEN) / (expected + _AS_IF_SEEN)).log().float()
