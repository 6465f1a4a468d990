"""Thread counts change sums in the last digits, and nothing that anybody would notice."""

from __future__ import annotations

import torch

import bilex
from bilex.model import TrainedModel
from bilex.values import Lexicon
from twins import make_twins

SCORES, PROBABILITIES = 1e-4, 1e-3
"""The tolerances that the documents promise."""


def fit(threads: int) -> TrainedModel:
    twins = make_twins(500, dim=32, noise=0.25)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return bilex.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:80]))
    finally:
        torch.set_num_threads(before)


def test_models_of_one_and_two_threads_answer_alike() -> None:
    one, two = fit(1), fit(2)
    assert fit(2).identity == two.identity
    words = one.source.words
    pairs = list(zip(one.translate(words, k=1), two.translate(words, k=1), strict=True))
    best = [(a.candidates[0], b.candidates[0]) for a, b in pairs]
    alike = [(a, b) for a, b in best if a.word == b.word]
    assert len(alike) >= 0.998 * len(best)
    assert max(abs(a.score - b.score) for a, b in alike) <= SCORES
    chances = [(a.probability, b.probability) for a, b in alike]
    assert max(abs(a - b) for a, b in chances if a is not None and b is not None) <= PROBABILITIES
