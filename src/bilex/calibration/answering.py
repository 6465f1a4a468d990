"""Answering words with candidates in their final order, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bilex.aligned import Answer, answer_by
from bilex.calibration.candidate_lists import Asked, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.judging import Ranked, check_wanted, rank_candidates, words_at_once
from bilex.values import Candidate, Compute, Matrix


def answer_judged(
    direction: Direction,
    model: CandidateModel | None,
    k: int,
    *,
    judged: int,
    compute: Compute,
) -> Answer:
    """Return a function that answers with the k best, in the order of the candidate model.

    Args:
        direction: What finds candidates.
        model: What orders them; None leaves the order of their scores.
        k: How many a word gets.
        judged: How many the candidate model looks at; if more are wanted, those beyond follow
            in the order of their scores, without a probability.
        compute: Memory that may be used.

    Raises:
        SettingError: If k is less than 1.
    """
    check_wanted(k)
    if model is None:
        return answer_by(direction.there, direction.asked, direction.answering, k)
    block = words_at_once(direction, max(k, judged), compute)

    def answer(words: Sequence[str], vectors: Matrix, known: bool) -> list[tuple[Candidate, ...]]:
        found: list[tuple[Candidate, ...]] = []
        for start in range(0, len(words), block):
            part = slice(start, start + block)
            asked = _asked(direction, words[part], vectors[part], known)
            ranked = rank_candidates(direction, asked, model, k=k, judged=judged)
            found += [candidates[:k] for candidates in _named(ranked, direction)]
        return found

    return answer


def _asked(direction: Direction, words: Sequence[str], vectors: Matrix, known: bool) -> Asked:
    if known:
        rows = direction.asked.space.rows(words).to(vectors.device)
        return direction.words(rows)
    rarest = torch.full((len(words),), float(len(direction.asked.space)), device=vectors.device)
    return Asked(words, vectors, rarest)


def _named(ranked: Ranked, direction: Direction) -> list[tuple[Candidate, ...]]:
    names = direction.answering.space.words
    return [
        tuple(Candidate(names[i], score, chance) for i, score, chance in zip(*row, strict=True))
        for row in zip(ranked.ids.tolist(), ranked.scores.tolist(), ranked.chances(), strict=True)
    ]
