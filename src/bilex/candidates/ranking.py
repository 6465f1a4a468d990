"""The candidates of words in their final order, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch

from bilex.candidates.features import Feature, compute_features
from bilex.candidates.lists import (
    BackwardLists,
    CandidateLists,
    Direction,
    Queries,
    list_candidates,
)
from bilex.candidates.model import CandidateModel
from bilex.errors import SettingError
from bilex.protocols import Proposals
from bilex.values import Compute, Matrix, Neighbors

_BYTES_OF_A_NUMBER = 4
_COPIES = 6  # of the vectors of all candidates of a block, during feature computation
_FEWEST_WORDS = 256


@dataclass(frozen=True, eq=False)
class RankedCandidates:
    """Candidates of words, best first: (n_words, k)."""

    ids: torch.Tensor
    scores: Matrix
    back_ranks: torch.Tensor
    probabilities: Matrix | None  # of the first candidates; None without a candidate model

    def rows(self, chosen: slice) -> Self:
        """Return the candidates of some of the words."""
        chances = self.probabilities
        return type(self)(
            self.ids[chosen],
            self.scores[chosen],
            self.back_ranks[chosen],
            None if chances is None else chances[chosen],
        )

    def chances(self) -> list[list[float | None]]:
        """Return the probability of each candidate; None if it has none."""
        words, k = self.ids.shape
        if self.probabilities is None:
            return [[None] * k] * words
        beyond: list[float | None] = [None] * (k - self.probabilities.shape[1])
        return [row + beyond for row in self.probabilities.tolist()]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranks the translations of words in one direction.

    Attributes:
        direction: Finds candidates by score.
        model: Computes probabilities and the final order; None keeps the order of the scores.
        depth: How many candidates of a word get a probability.
        compute: The memory budget.
        plugins: Compute the features of the model that are not built in.
    """

    direction: Direction
    model: CandidateModel | None
    depth: int
    compute: Compute
    plugins: Sequence[Feature] = ()

    def words_at_once(self, k: int) -> int:
        """Return how many words with k candidates fit into the memory budget."""
        numbers = max(k, self.depth) * self.direction.target.space.dim
        size = self.compute.memory // (_BYTES_OF_A_NUMBER * _COPIES * numbers)
        return max(_FEWEST_WORDS, size)

    def rank(
        self,
        queries: Queries,
        *,
        k: int,
        backward: BackwardLists | None = None,
        found: Neighbors | None = None,
    ) -> RankedCandidates:
        """List the best candidates of each word by score, then put them in their final order.

        Args:
            queries: The words.
            k: Candidates per word. With a model at least `depth` are listed; candidates after
                these follow in the order of their scores.
            backward: Cached backward scores, shared by several calls.
            found: The best candidates of the words, if already searched.
        """
        model = self.model
        lists = list_candidates(
            self.direction,
            queries,
            k=k if model is None else max(k, self.depth),
            backward=backward,
            found=found,
        )
        if model is None:
            return RankedCandidates(lists.ids, lists.scores, lists.back_ranks, None)
        first = lists.first(self.depth)
        features = self.features(queries, first, model.features)
        probabilities = model.probabilities(features)
        if not model.reorders:
            return RankedCandidates(lists.ids, lists.scores, lists.back_ranks, probabilities)
        best = probabilities.argsort(dim=1, descending=True, stable=True)
        beyond = torch.arange(best.shape[1], lists.ids.shape[1], device=best.device)
        order = torch.cat([best, beyond.expand(len(best), -1)], dim=1)
        return RankedCandidates(
            lists.ids.gather(1, order),
            lists.scores.gather(1, order),
            lists.back_ranks.gather(1, order),
            probabilities.gather(1, best),
        )

    def features(self, queries: Queries, lists: CandidateLists, names: Sequence[str]) -> Matrix:
        """Return the named features of each candidate: (n_words, k, n_features)."""
        return compute_features(self.direction, queries, lists, names, self.plugins)

    def propose(self, rows: torch.Tensor) -> Proposals:
        """Return the best translation of each source row, with its probability.

        Raises:
            SettingError: If there is no candidate model.
        """
        backward = BackwardLists(self.direction)
        ids, chances = [], []
        for some in torch.split(rows, self.words_at_once(1)):
            found = self.rank(self.direction.queries(some), k=1, backward=backward)
            if found.probabilities is None:
                raise no_probabilities()
            ids.append(found.ids[:, 0])
            chances.append(found.probabilities[:, 0])
        return Proposals(torch.cat(ids), torch.cat(chances))


def check_k(k: int) -> None:
    """Raise `SettingError` if k < 1."""
    if k < 1:
        raise SettingError(f"k is {k}: give 1 or more candidates")


def no_probabilities() -> SettingError:
    """Return the error for a request that needs probabilities when the model has none."""
    return SettingError(
        "this model has no probabilities: train it again with `bilex fit … --calibrate` and at "
        "least ten seed words"
    )
