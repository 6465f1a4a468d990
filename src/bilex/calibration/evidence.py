"""From lists of candidates to the numbers that a candidate is judged by."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bilex.calibration.candidate_lists import SHARPNESS, Asked, CandidateLists, Direction
from bilex.calibration.features import GROUPS
from bilex.calibration.spelling import plain, shared_prefixes, similarities, spellings
from bilex.values import Matrix, Vector, unit_rows


def evidence(
    direction: Direction, asked: Asked, lists: CandidateLists, features: Sequence[str]
) -> Matrix:
    """Return the named features of each candidate: (n_words, k, n_features)."""
    found = {
        **_scores(lists),
        **_cosines(direction, asked, lists),
        **_frequency(lists, asked.frequency_ranks),
    }
    if any(name in GROUPS["strings"] for name in features):
        found |= _strings(direction, asked, lists)
    return torch.stack([found[name] for name in features], dim=-1)


def _scores(lists: CandidateLists) -> dict[str, Matrix]:
    scores = lists.scores
    n, k = scores.shape
    margins = over_best_rival(scores)
    back_margins = scores - lists.rivals
    ranks = torch.arange(1, k + 1, device=scores.device).log()
    return {
        "csls": scores,
        "margin": margins,
        "gap": margins[:, :1].expand(n, k),
        "rank": ranks.expand(n, k),
        "share": (SHARPNESS * scores).log_softmax(1),
        "back_rank": lists.back_ranks.float().log(),
        "back_margin": back_margins,
        "back_margin_to_best": back_margins - back_margins.amax(1, keepdim=True),
        "back_share": SHARPNESS * scores - lists.back_mass,
    }


def _cosines(direction: Direction, asked: Asked, lists: CandidateLists) -> dict[str, Matrix]:
    queries = unit_rows(direction.asked.carry(asked.vectors))
    cosines = _products(queries, direction.answers, lists.ids)
    queries = unit_rows(direction.second_asked.carry(asked.vectors))
    # What CSLS takes off is taken from the first map: how crowded the two words are.
    crowding = 2 * cosines - lists.scores
    second = 2 * _products(queries, direction.second_answers, lists.ids) - crowding
    return {
        "cosine": cosines,
        "second": second,
        "second_margin": over_best_rival(second),
        "second_to_best": second - second.amax(1, keepdim=True),
    }


def _products(queries: Matrix, answers: Matrix, ids: torch.Tensor) -> Matrix:
    return torch.einsum("nd,nkd->nk", queries, answers[ids])


def _frequency(lists: CandidateLists, ranks: Vector) -> dict[str, Matrix]:
    theirs = (lists.ids + 1.0).log()
    difference = ranks.log()[:, None] - theirs
    return {
        "frequency_difference": difference,
        "frequency_distance": difference.abs(),
        "frequency_among_candidates": theirs - theirs.mean(1, keepdim=True),
    }


def _strings(direction: Direction, asked: Asked, lists: CandidateLists) -> dict[str, Matrix]:
    shape, device = lists.ids.shape, lists.scores.device
    ids: list[int] = lists.ids.flatten().tolist()
    names = direction.answering.space.words
    left = [spelling for word in asked.words for spelling in [plain(word)] * shape[1]]
    spelled = spellings(direction.answering.space)
    right = [spelled[i] for i in ids]
    words = (word for word in asked.words for _ in range(shape[1]))
    same = [word == names[i] for word, i in zip(words, ids, strict=True)]
    similarity = similarities(left, right).to(device).reshape(shape)
    return {
        "similarity": similarity,
        "similarity_to_best": similarity - similarity.amax(1, keepdim=True),
        "prefix": shared_prefixes(left, right).to(device).reshape(shape),
        "identical": torch.tensor(same, device=device).float().reshape(shape),
    }


def over_best_rival(scores: Matrix) -> Matrix:
    """Return by how much each score beats the best of the others in its row; 0 without others."""
    if scores.shape[1] < 2:
        return torch.zeros_like(scores)
    two = scores.topk(2, dim=1)
    columns = torch.arange(scores.shape[1], device=scores.device)
    first = columns[None] == two.indices[:, :1]
    return scores - torch.where(first, two.values[:, 1:], two.values[:, :1])
