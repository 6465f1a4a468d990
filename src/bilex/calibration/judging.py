"""The candidates of words with the probability of each, best first."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.calibration.candidate_lists import Asked, BackLists, Direction, list_candidates
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.evidence import evidence
from bilex.values import Matrix


@dataclass(frozen=True, eq=False)
class Ranked:
    """Candidates of words, best first: (n_words, k) each."""

    ids: torch.Tensor
    scores: Matrix
    back_ranks: torch.Tensor
    probabilities: Matrix | None  # None if nothing was learned to tell them


def rank_candidates(
    direction: Direction,
    asked: Asked,
    model: CandidateModel | None,
    *,
    k: int,
    back: BackLists | None = None,
) -> Ranked:
    """List the k best candidates of each word by score, then put them in their final order.

    Args:
        direction: The model that finds them.
        asked: The words.
        model: What tells probabilities and the order; None leaves the order of scores.
        k: How many are listed and judged.
        back: Lists of all candidates, if they were made before.
    """
    lists = list_candidates(direction, asked, k=k, back=back)
    if model is None:
        return Ranked(lists.ids, lists.scores, lists.back_ranks, None)
    probabilities = model.probabilities(evidence(direction, asked, lists, model.features))
    if not model.reorders:
        return Ranked(lists.ids, lists.scores, lists.back_ranks, probabilities)
    order = probabilities.argsort(dim=1, descending=True, stable=True)
    return Ranked(
        lists.ids.gather(1, order),
        lists.scores.gather(1, order),
        lists.back_ranks.gather(1, order),
        probabilities.gather(1, order),
    )
