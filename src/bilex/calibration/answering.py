"""Answering words with candidates in their final order, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bilex.aligned import Answer, answer_by
from bilex.calibration.candidate_lists import Asked, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.judging import Ranked, rank_candidates
from bilex.values import Candidate, Matrix


def answer_judged(
    direction: Direction, model: CandidateModel | None, k: int, *, judged: int
) -> Answer:
    """Return a function that answers with the k best, in the order of the candidate model.

    Args:
        direction: What finds candidates.
        model: What orders them; None leaves the order of their scores.
        k: How many a word gets.
        judged: How many the candidate model looks at; if more are wanted, those beyond follow
            in the order of their scores, without a probability.
    """
    by_score = answer_by(direction.there, direction.asked, direction.answering, k)
    if model is None:
        return by_score

    def answer(words: Sequence[str], vectors: Matrix, known: bool) -> list[tuple[Candidate, ...]]:
        asked = _asked(direction, words, vectors, known)
        found = _named(rank_candidates(direction, asked, model, k=judged), direction)
        if k <= judged:
            return [candidates[:k] for candidates in found]
        longer = by_score(words, vectors, known)
        return [first + rest[judged:] for first, rest in zip(found, longer, strict=True)]

    return answer


def _asked(direction: Direction, words: Sequence[str], vectors: Matrix, known: bool) -> Asked:
    if known:
        rows = direction.asked.space.rows(words).to(vectors.device)
        return direction.words(rows)
    rarest = torch.full((len(words),), float(len(direction.asked.space)), device=vectors.device)
    return Asked(words, vectors, rarest)


def _named(ranked: Ranked, direction: Direction) -> list[tuple[Candidate, ...]]:
    names = direction.answering.space.words
    columns = (ranked.ids, ranked.scores, ranked.probabilities)
    rows = zip(*(column.tolist() for column in columns if column is not None), strict=True)
    return [
        tuple(Candidate(names[i], score, chance) for i, score, chance in zip(*row, strict=True))
        for row in rows
    ]
