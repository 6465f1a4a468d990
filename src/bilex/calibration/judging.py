"""The candidates of words with the probability of each, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch

from bilex.calibration.candidate_lists import Asked, BackLists, Direction, list_candidates
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.evidence import evidence
from bilex.errors import SettingError
from bilex.values import Compute, Matrix

_BYTES_OF_A_NUMBER = 4
_COPIES = 6  # of the vectors of all candidates of a block, while features are made
_FEWEST_WORDS = 256


@dataclass(frozen=True, eq=False)
class Ranked:
    """Candidates of words, best first: (n_words, k)."""

    ids: torch.Tensor
    scores: Matrix
    back_ranks: torch.Tensor
    probabilities: Matrix | None  # of those that were judged, the first; None if none were

    def rows(self, chosen: slice) -> Self:
        """Return the candidates of some of the words."""
        told = self.probabilities
        return type(self)(
            self.ids[chosen],
            self.scores[chosen],
            self.back_ranks[chosen],
            None if told is None else told[chosen],
        )

    def chances(self) -> list[list[float | None]]:
        """Return the probability of each candidate, None where it was not judged."""
        words, k = self.ids.shape
        if self.probabilities is None:
            return [[None] * k] * words
        beyond: list[float | None] = [None] * (k - self.probabilities.shape[1])
        return [row + beyond for row in self.probabilities.tolist()]


def check_wanted(k: int) -> None:
    """Raise unless somebody wants at least one candidate.

    Raises:
        SettingError: If nobody does.
    """
    if k < 1:
        raise SettingError(f"k is {k}: ask for at least one candidate")


def words_at_once(direction: Direction, candidates: int, compute: Compute) -> int:
    """Return how many words can be judged together in the memory there is."""
    numbers = candidates * direction.answering.space.dim
    return max(_FEWEST_WORDS, compute.memory // (_BYTES_OF_A_NUMBER * _COPIES * numbers))


def rank_candidates(
    direction: Direction,
    asked: Asked,
    model: CandidateModel | None,
    *,
    k: int,
    judged: int,
    back: BackLists | None = None,
) -> Ranked:
    """List the best candidates of each word by score, then put them in their final order.

    Args:
        direction: The model that finds them.
        asked: The words.
        model: What tells probabilities and the order; None leaves the order of scores.
        k: How many are wanted.
        judged: How many the model looks at, and so are listed at least; if more are wanted,
            those beyond follow in the order of their scores.
        back: Lists of candidates, kept from one call to the next.
    """
    lists = list_candidates(direction, asked, k=k if model is None else max(k, judged), back=back)
    if model is None:
        return Ranked(lists.ids, lists.scores, lists.back_ranks, None)
    first = lists.first(judged)
    probabilities = model.probabilities(evidence(direction, asked, first, model.features))
    if not model.reorders:
        return Ranked(lists.ids, lists.scores, lists.back_ranks, probabilities)
    best = probabilities.argsort(dim=1, descending=True, stable=True)
    beyond = torch.arange(best.shape[1], lists.ids.shape[1], device=best.device)
    order = torch.cat([best, beyond.expand(len(best), -1)], dim=1)
    return Ranked(
        lists.ids.gather(1, order),
        lists.scores.gather(1, order),
        lists.back_ranks.gather(1, order),
        probabilities.gather(1, best),
    )
