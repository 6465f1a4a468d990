"""Batches of nearly certain words, and the correction of their probabilities."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.review.batches import NearCertain
from bilex.review.correction import SMALLEST_SAMPLE, Correction
from bilex.review.queue import QueueFeatures


def features(chances: list[float], ranks: list[int] | None = None) -> QueueFeatures:
    return QueueFeatures(
        ranks=np.array(ranks or range(len(chances))),
        probabilities=np.array(chances).reshape(-1, 1),
        lots=np.full(len(chances), 0.5),
    )


def test_a_batch_has_the_most_frequent_of_the_nearly_certain_words() -> None:
    words = features([0.99, 0.94, 0.95, np.nan, 1.0, 0.97], ranks=[50, 1, 40, 2, 30, 20])
    found = NearCertain(size=3, fewest=1).choose(words)
    assert found is not None
    assert found.rows == (5, 4, 2)
    assert len(found) == 3
    assert found.expected_errors == pytest.approx(0.03 + 0 + 0.05)


def test_a_batch_is_not_offered_for_few_words() -> None:
    words = features([0.99] * 9)
    assert NearCertain(fewest=10).choose(words) is None
    assert NearCertain(fewest=9).choose(words) is not None
    assert NearCertain().choose(features([])) is None


def test_a_share_of_the_random_order_is_left_to_the_audit() -> None:
    words = QueueFeatures(
        ranks=np.arange(1000), probabilities=np.full((1000, 1), 0.99), lots=np.arange(1000) / 1000
    )
    found = NearCertain(size=1000).choose(words)
    assert found is not None
    assert found.rows == tuple(range(100, 1000))


@given(st.lists(st.floats(0.5, 1), min_size=1, max_size=8))
def test_the_range_of_errors_is_the_middle_95_percent(chances: list[float]) -> None:
    found = NearCertain(least=0.5, fewest=1).choose(features(chances))
    assert found is not None
    counts = [0.0] * (len(chances) + 1)
    for wrong in product([0, 1], repeat=len(chances)):
        counts[sum(wrong)] += prod(
            1 - chance if bad else chance for bad, chance in zip(wrong, chances, strict=True)
        )
    below = sum(counts[: found.fewest_errors])
    above = sum(counts[found.most_errors + 1 :])
    assert below < 0.025 + 1e-9
    assert above < 0.025 + 1e-9
    assert found.fewest_errors <= found.expected_errors + 1
    assert found.most_errors >= found.expected_errors - 1


def test_batches_of_calibrated_probabilities_hold_what_they_say() -> None:
    rng = np.random.default_rng(0)
    expected = actual = outside = 0.0
    for _ in range(400):
        chances = rng.beta(8, 1, size=300)
        right = rng.random(300) < chances
        found = NearCertain().choose(features(chances.tolist()))
        assert found is not None
        errors = int((~right[list(found.rows)]).sum())
        expected += found.expected_errors
        actual += errors
        outside += not found.fewest_errors <= errors <= found.most_errors
    words = 400 * 50
    assert abs(expected - actual) / words < 0.005
    assert outside / 400 <= 0.07


def overconfident(rng: np.random.Generator, size: int) -> tuple[list[float], list[bool]]:
    believed = rng.beta(4, 1, size=size)
    odds = np.log(believed / (1 - believed))
    truth = 1 / (1 + np.exp(-(0.6 * odds - 0.5)))
    return believed.tolist(), (rng.random(size) < truth).tolist()


def test_a_correction_makes_batches_of_overconfident_models_right_within_3_points() -> None:
    rng = np.random.default_rng(1)
    before: list[float] = []
    after: list[float] = []
    for _ in range(40):
        sample, sampled = overconfident(rng, 400)
        correction = Correction.learn(sample, sampled)
        chances, right = overconfident(rng, 20_000)
        words = features(chances)
        rule = NearCertain(size=20_000, reserved=0)
        for changed, errors in ((None, before), (correction, after)):
            found = rule.choose(words, changed)
            if found is not None:
                wrong = sum(not right[row] for row in found.rows)
                errors.append((wrong - found.expected_errors) / len(found))
    assert np.mean(before) > 0.05
    assert abs(np.mean(after)) < 0.03


def test_a_small_sample_and_a_falling_fit_correct_nothing() -> None:
    sample, right = overconfident(np.random.default_rng(2), SMALLEST_SAMPLE - 1)
    assert Correction.learn(sample, right) == Correction()
    chances = np.linspace(0.01, 0.99, 200).tolist()
    assert Correction.learn(chances, [chance < 0.5 for chance in chances]) == Correction()
    with pytest.raises(SettingError, match="3 probabilities for 2 words"):
        Correction.learn([0.1, 0.2, 0.3], [True, False])


@given(st.floats(0.1, 3), st.floats(-3, 3), st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_a_correction_keeps_the_order(slope: float, intercept: float, chances: list[float]) -> None:
    given_ = np.sort(np.array(chances))
    found = Correction(slope=slope, intercept=intercept).apply(given_)
    assert (np.diff(found) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()
    assert Correction().apply(given_) is given_
    assert np.isnan(Correction(slope=2.0).apply(np.array([np.nan]))).all()


def test_a_sample_of_a_right_model_corrects_little() -> None:
    rng = np.random.default_rng(3)
    chances = rng.beta(3, 2, size=3_000)
    found = Correction.learn(chances.tolist(), (rng.random(3_000) < chances).tolist())
    assert np.abs(found.apply(chances) - chances).max() < 0.04


@pytest.mark.parametrize("settings", [{"least": 0.0}, {"size": 0}, {"fewest": 0}, {"reserved": 1}])
def test_impossible_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        NearCertain(**settings)  # type: ignore[arg-type]
