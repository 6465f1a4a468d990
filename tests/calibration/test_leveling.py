"""Probabilities where seeds are chosen by the frequency of their translations."""

from __future__ import annotations

import pytest
import torch

from bilex.calibration.labels import LabeledCandidates, ordinary_words
from bilex.calibration.learning import learn
from bilex.calibration.leveling import LARGEST_SHIFT, level_shift
from bilex.values import EmbeddingSpace, Matrix
from candidates import linear_model

NAMES = ("csls", "frequency_difference")


def problem(words: int, *, frequent: bool, draw: int) -> LabeledCandidates:
    """Label candidates: one is right, and it is the most frequent one more often than not.

    Of seeds, all candidates are frequent; of other words, none is. That says nothing about which
    candidate is right, and how often the first one is.
    """
    rng = torch.Generator().manual_seed(draw)
    features = torch.randn(words, 6, 2, generator=rng)
    chances = (2.0 * features[..., 0] + features[..., 1]).softmax(1)
    right = torch.nn.functional.one_hot(chances.multinomial(1, generator=rng)[:, 0], 6).float()
    none = torch.rand(words, generator=rng) < 0.2
    right[none] = 0
    features[none, :, 1] -= 1.0  # words without a right candidate have rare ones among the seeds
    if not frequent:
        features[..., 1] -= 2.0
    return LabeledCandidates(features, right, torch.arange(1.0, words + 1))


def mean_and_truth(right: Matrix, chances: Matrix) -> tuple[float, float]:
    """Return the mean probability of first answers, and how many are right."""
    best = chances.argmax(1, keepdim=True)
    return float(chances.gather(1, best).mean()), float(right.gather(1, best).mean())


def test_the_level_does_not_follow_the_choice_of_the_seeds() -> None:
    seeds = problem(800, frequent=True, draw=0)
    others = problem(4_000, frequent=False, draw=1)
    gaps = []
    for ordinary in (None, others.features):
        model = learn(seeds, NAMES, ordinary)
        assert model is not None
        chances = model.probabilities(others.features)
        believed, true = mean_and_truth(others.right, chances)
        gaps.append(abs(believed - true))
    assert gaps[0] > 0.08
    assert gaps[1] < 0.5 * gaps[0]


def test_where_seeds_are_like_other_words_the_level_stays() -> None:
    seeds = problem(800, frequent=True, draw=0)
    others = problem(4_000, frequent=True, draw=1)
    model = learn(seeds, NAMES, others.features)
    assert model is not None
    assert abs(float(str(model.report["level_shift"]))) < 0.1


@pytest.mark.parametrize("names", [("csls", "cosine"), ("frequency_difference",)])
def test_without_such_features_or_without_others_nothing_is_shifted(
    names: tuple[str, ...],
) -> None:
    seeds = problem(100, frequent=True, draw=0)
    others = problem(100, frequent=False, draw=1).features[..., : len(names)]
    found = LabeledCandidates(seeds.features[..., : len(names)], seeds.right, seeds.frequency_ranks)
    model = learn(found, names, others)
    assert model is not None
    assert model.report["level_shift"] == 0


def test_a_shift_has_its_limits_and_meets_the_level_between_them() -> None:
    model = linear_model(("csls",), weight=1.0)
    ordinary = torch.linspace(-3, 3, 200)[:, None, None].expand(200, 2, 1)
    now = float(model.probabilities(ordinary).amax(1).mean())
    same = torch.full((200,), now)
    assert level_shift(model, ordinary, plain=same, gain=(0.6, 0.6)) == pytest.approx(0, abs=1e-3)
    shift = level_shift(model, ordinary, plain=same + 0.1, gain=(0.6, 0.6))
    first = model.probabilities(ordinary).amax(1).logit()
    assert float(torch.sigmoid(first + shift).mean()) == pytest.approx(now + 0.1, abs=1e-3)
    assert level_shift(model, ordinary, plain=same, gain=(0.1, 0.99)) == LARGEST_SHIFT
    assert level_shift(model, ordinary, plain=same, gain=(0.99, 0.1)) == -LARGEST_SHIFT


@pytest.mark.parametrize("size", [1, 3, 999, 1_001, 50_000])
def test_ordinary_words_are_different_words_of_the_vocabulary(size: int) -> None:
    words = tuple(map(str, range(size)))
    rows = ordinary_words(EmbeddingSpace(words, torch.zeros(size, 2)))
    assert len(set(rows.tolist())) == len(rows) == min(size, 1_000)
    assert 0 <= int(rows.min()) <= int(rows.max()) < min(size, 20_000)
