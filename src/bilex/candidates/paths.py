"""Paths: what translations through a third language say about the candidates of a word.

Both languages have a lexicon with the third one, whose entries have probabilities. A word and a
candidate that many probable paths connect are likely translations of each other, also if their
vectors are not close.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from bilex.values import Matrix


class Translations(NamedTuple):
    """The best translations of every word of a language, and their probabilities."""

    ids: torch.Tensor  # (n_words, m), long
    probabilities: Matrix  # (n_words, m)


class LinkLexicon(NamedTuple):
    """The lexicons of a language with the third language, in both directions."""

    to_third: Translations
    from_third: Translations


class PathSums(NamedTuple):
    """For each word and candidate, sums of products of probabilities: (n_words, k).

    Attributes:
        ahead: Over paths from the word through the third language to the candidate.
        back: Over paths from the candidate through the third language to the word.
        meeting: Over words of the third language that both are translated to (inverse
            consultation).
    """

    ahead: Matrix
    back: Matrix
    meeting: Matrix


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths between two languages through a third one.

    Attributes:
        source: The lexicons of the language of the words.
        target: The lexicons of the language of the candidates.
    """

    source: LinkLexicon
    target: LinkLexicon

    def reversed(self) -> Paths:
        """Return the paths in the other direction."""
        return Paths(self.target, self.source)

    def sums(self, rows: torch.Tensor, ids: torch.Tensor) -> PathSums:
        """Return what all paths between words and their candidates add up to.

        Args:
            rows: The words: (n_words,).
            ids: The candidates of each: (n_words, k).
        """
        ends, chances = self._ends(rows)
        ahead = ((ends[:, None] == ids[..., None]) * chances[:, None]).sum(-1)
        theirs, their_chances = self.reversed()._ends(ids.flatten())
        words = rows.repeat_interleave(ids.shape[1])
        back = ((theirs == words[:, None]) * their_chances).sum(-1).view(ids.shape)
        own, own_chances = (table[rows] for table in self.source.to_third)
        others, other_chances = (table[ids] for table in self.target.to_third)
        same = own[:, None, :, None] == others[:, :, None]  # (n_words, k, m, m)
        met = torch.einsum("nkij,ni,nkj->nk", same.float(), own_chances, other_chances)
        return PathSums(ahead, back, met)

    def proposals(self, rows: torch.Tensor, k: int) -> Translations:
        """Return the k candidates of each word that its paths lead to with the largest sums.

        A place without a candidate has sum 0.
        """
        ends, chances = self._ends(rows)
        order = ends.argsort(dim=1, stable=True)
        ends, chances = ends.gather(1, order), chances.gather(1, order)
        # Equal ends are neighbors now. The last of them gets the sum of all of them.
        totals = chances.double().cumsum(1)
        last = torch.ones_like(ends, dtype=torch.bool)
        last[:, :-1] = ends[:, 1:] != ends[:, :-1]
        before = torch.where(last, totals, 0.0).cummax(1).values.roll(1, dims=1)
        before[:, 0] = 0
        sums = torch.where(last, totals - before, 0.0).float()
        best = sums.topk(min(k, sums.shape[1]), dim=1)
        return Translations(ends.gather(1, best.indices), best.values)

    def _ends(self, rows: torch.Tensor) -> Translations:
        """Return where all paths of some words end, with their probabilities: (n, m · m)."""
        third, first = (table[rows] for table in self.source.to_third)
        ends, second = (table[third] for table in self.target.from_third)
        return Translations(ends.flatten(1), (first[..., None] * second).flatten(1))
