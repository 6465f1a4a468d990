"""The candidates of a word, and how each of them would choose in return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import torch

from bilex.aligned import Side
from bilex.protocols import SearchIndex
from bilex.values import LinearMap, Matrix, Vector, unit_rows

SHARPNESS = 10.0
"""Of the softmax that turns scores into shares: a tenth of CSLS is a factor of e."""

BACK_DEPTH = 20
"""How far down a candidate's own list a word is looked for."""

_SAME = 1e-6  # scores of one pair, searched from either side, agree to this


@dataclass(frozen=True, eq=False)
class Asked:
    """Words that are asked about: their vectors are normalized, but not yet mapped."""

    words: Sequence[str]
    vectors: Matrix
    frequency_ranks: Vector  # from 1
    penalties: Vector | None = None  # that retrieval measured, for words of the vocabulary


@dataclass(frozen=True, eq=False)
class Direction:
    """A trained model asked in one direction.

    Attributes:
        asked: The side of the words.
        answering: The side of the candidates.
        there: Finds candidates for words.
        back: Finds words for candidates.
        second: Another map between the same spaces, for a second opinion; None if there is none.
    """

    asked: Side
    answering: Side
    there: SearchIndex
    back: SearchIndex
    second: LinearMap | None = None

    @cached_property
    def answers(self) -> Matrix:
        """Return all candidates, in the target space, with length 1."""
        return _carried(self.answering)

    @cached_property
    def second_asked(self) -> Side:
        """Return the side of the words as the second map carries it."""
        return _by(self.second, self.asked)

    @cached_property
    def second_answers(self) -> Matrix:
        """Return all candidates as the second map carries them."""
        side = _by(self.second, self.answering)
        return self.answers if side is self.answering else _carried(side)

    def reversed(self) -> Direction:
        """Return the same model, asked in the other direction."""
        return Direction(self.answering, self.asked, self.back, self.there, self.second)

    def words(self, rows: torch.Tensor) -> Asked:
        """Return words of the vocabulary, ready to be asked about."""
        space = self.asked.space
        return Asked(
            words=[space.words[row] for row in rows.tolist()],
            vectors=space.vectors[rows],
            frequency_ranks=rows + 1.0,
            penalties=self.back.penalties[rows],
        )


class BackLists:
    """The best scores that candidates have with any word, found when first asked for."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        answers = direction.answers
        depth = min(BACK_DEPTH + 1, len(direction.asked.space))  # one deeper than is looked at
        self._scores = answers.new_empty(0, depth)
        self._place = torch.full((len(answers),), -1, dtype=torch.long, device=answers.device)

    def add(self, ids: torch.Tensor) -> None:
        """Search backward from candidates that were not asked for before."""
        new = torch.unique(ids[self._place[ids] < 0])
        if not len(new):
            return
        found = self._direction.back.search(
            self._direction.answers[new],
            k=self._scores.shape[1],
            query_penalties=self._direction.there.penalties[new],
        )
        first = len(self._scores)
        self._place[new] = torch.arange(first, first + len(new), device=ids.device)
        self._scores = torch.cat([self._scores, found.scores])

    def __getitem__(self, ids: torch.Tensor) -> Matrix:
        """Return the scores of each candidate, best first: (*ids.shape, depth)."""
        self.add(ids)
        return self._scores[self._place[ids]]


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The best candidates of some words, with what was measured of each pair: (n_words, k)."""

    ids: torch.Tensor
    scores: Matrix  # as retrieval ranks, by CSLS as a rule
    back_ranks: torch.Tensor  # of the word among the candidate's own, from 1
    rivals: Matrix  # best score of any other word for the candidate
    back_mass: Matrix  # log of what a softmax of the candidate's scores is divided by

    def first(self, k: int) -> Self:
        """Return the k best of each word."""
        return type(self)(
            self.ids[:, :k],
            self.scores[:, :k],
            self.back_ranks[:, :k],
            self.rivals[:, :k],
            self.back_mass[:, :k],
        )


def list_candidates(
    direction: Direction,
    asked: Asked,
    *,
    k: int,
    back: BackLists | None = None,
) -> CandidateLists:
    """Find the k best candidates of each word, and look at each pair from all sides.

    Args:
        direction: The model.
        asked: The words.
        k: How many candidates; fewer if there are fewer.
        back: Lists of candidates, kept from one call to the next.
    """
    queries = direction.asked.carry(asked.vectors)
    found = direction.there.search(queries, k=k, query_penalties=asked.penalties)
    ids, scores = found.ids, found.scores
    theirs = (BackLists(direction) if back is None else back)[ids]  # (n, k, depth)
    best = theirs[..., 0]
    ahead = theirs > scores[..., None] + _SAME
    own = (theirs[..., :1] <= scores[..., None] + _SAME).squeeze(-1)  # nobody is better
    runner_up = theirs[..., 1] if theirs.shape[-1] > 1 else scores
    return CandidateLists(
        ids=ids,
        scores=scores,
        back_ranks=1 + ahead.sum(-1),
        rivals=torch.where(own, runner_up, best) if asked.penalties is not None else best,
        back_mass=(SHARPNESS * theirs[..., :BACK_DEPTH]).logsumexp(-1),
    )


def _carried(side: Side) -> Matrix:
    return unit_rows(side.carry(side.space.vectors))


def _by(second: LinearMap | None, side: Side) -> Side:
    return side if side.mapping is None or second is None else replace(side, mapping=second)
