"""The tests of differences against brute force, SciPy and known values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bilex.benchmark.report import significance
from bilex.benchmark.report.significance import (
    Sample,
    drawn_p_values,
    exact_p_value,
    holm,
    interval,
    resampled_means,
)
from bilex.benchmark.report.test_words import Integers, Numbers


def brute_force(contributions: Numbers | Integers) -> float:
    observed = abs(contributions.sum())
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, contributions, strict=True)))
        for signs in product((-1, 1), repeat=len(contributions))
    ]
    return float(np.mean([total >= observed - 1e-12 for total in sums]))


def rng(number: int = 0) -> np.random.Generator:
    return np.random.default_rng(number)


def one_sample(values: Numbers, source: str = "en", first: int = 0) -> Sample:
    return Sample(source, np.arange(first, first + len(values)), values)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
@settings(deadline=None, max_examples=60)
def test_the_exact_test_counts_all_sign_assignments(differences: list[int]) -> None:
    given_differences = np.array(differences)

    assert exact_p_value(given_differences) == pytest.approx(brute_force(given_differences))


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (5, 0), (8, 2), (30, 45), (400, 300)])
def test_with_one_run_each_the_exact_test_is_mcnemars(wins: int, losses: int) -> None:
    differences = np.array([1] * wins + [-1] * losses + [0] * 20)

    binomial = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert exact_p_value(differences) == pytest.approx(binomial, rel=1e-9)


def test_drawn_signs_come_close_to_all_of_them() -> None:
    contributions = rng(1).normal(0.25, 1, size=(11, 4))

    drawn = drawn_p_values(contributions, rng())

    each = [brute_force(contributions[:, column]) for column in range(4)]
    np.testing.assert_allclose(drawn, each, atol=0.01)


def test_sums_that_are_equal_count_as_equal() -> None:
    # 0.1 + 0.2 is not 0.3 in floating point: with all signs turned it must still be a tie.
    contributions = np.array([[0.1], [0.2], [-0.3], [0.1], [0.2]])

    assert drawn_p_values(contributions, rng())[0] == pytest.approx(
        brute_force(np.array([1, 2, -3, 1, 2])), abs=0.01
    )


def test_the_drawn_test_agrees_with_scipy() -> None:
    first, second = rng(2).random(40) < 0.7, rng(3).random(40) < 0.45
    differences = first.astype(float) - second.astype(float)

    theirs = stats.permutation_test(
        (differences,),
        np.sum,
        permutation_type="samples",
        n_resamples=20_000,
        batch=2_000,
        rng=rng(4),
    ).pvalue

    assert drawn_p_values(differences[:, None], rng())[0] == pytest.approx(theirs, abs=0.01)
    assert exact_p_value(differences.astype(np.int64)) == pytest.approx(theirs, abs=0.01)


def test_no_difference_at_all_is_never_significant() -> None:
    assert exact_p_value(np.zeros(7, dtype=np.int64)) == 1.0
    assert drawn_p_values(np.zeros((7, 2)), rng(), flips=99).tolist() == [1.0, 1.0]
    assert drawn_p_values(np.zeros((0, 2)), rng(), flips=99).tolist() == [1.0, 1.0]


def test_no_drawn_p_value_is_zero() -> None:
    assert drawn_p_values(np.ones((500, 1)), rng(), flips=99)[0] == 0.01


def test_drawing_in_blocks_changes_nothing_but_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    contributions = rng(1).normal(0.1, 1, size=(64, 2))
    whole = drawn_p_values(contributions, rng(5), flips=999)

    monkeypatch.setattr(significance, "_NUMBERS_IN_A_BLOCK", 64 * 100)

    assert drawn_p_values(contributions, rng(5), flips=999).tolist() == whole.tolist()


def test_equal_methods_are_found_different_five_times_in_a_hundred() -> None:
    draws = rng(6)
    n_studies, n_words = 600, 300
    p_values = []
    for _ in range(n_studies):
        ease = draws.random(n_words)
        first, second = draws.random(n_words) < ease, draws.random(n_words) < ease
        p_values.append(exact_p_value(first.astype(np.int64) - second))
    share = np.mean(np.array(p_values) < 0.05)
    # The test is exact and sums are whole numbers, so it rejects a little less than 5 %.
    assert 0.025 < share < 0.065


def test_words_shared_by_language_pairs_do_not_count_twice() -> None:
    """The same answers in two pairs are no more evidence than in one."""
    draws = rng(7)
    rejected = {"shared": 0, "as if not": 0}
    for _ in range(150):
        differences = draws.integers(-1, 2, size=80) / 80
        for name, contributions in (
            ("shared", differences),
            ("as if not", np.concatenate([differences, differences]) / 2),
        ):
            p_value = drawn_p_values(contributions[:, None], draws, flips=399)[0]
            rejected[name] += p_value < 0.05

    assert rejected["shared"] / 150 < 0.11
    assert rejected["as if not"] > 1.5 * rejected["shared"]


def test_intervals_agree_with_scipy() -> None:
    differences = rng(8).integers(-1, 2, size=400).astype(float)

    means = resampled_means([one_sample(differences[:, None])], rng())

    theirs = stats.bootstrap(
        (differences,), np.mean, n_resamples=4_000, method="percentile", batch=500, rng=rng(9)
    ).confidence_interval
    assert interval(means[0, :, 0]) == pytest.approx((theirs.low, theirs.high), abs=0.012)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    draws, held = rng(10), 0
    for _ in range(150):
        values = np.where(draws.random((120, 1)) < 0.6, 0.5, -0.5)
        low, high = interval(resampled_means([one_sample(values)], draws, resamples=300))
        held += low <= 0.1 <= high
    assert 0.89 <= held / 150 <= 0.99


def test_resampled_means_gather_around_the_mean() -> None:
    values = rng(11).random((90, 3))

    means = resampled_means([one_sample(values)], rng(), resamples=3_000)

    assert means.shape == (1, 3_000, 3)
    np.testing.assert_allclose(means[0].mean(axis=0), values.mean(axis=0), atol=0.005)
    expected = values.std(axis=0) / np.sqrt(90)
    np.testing.assert_allclose(means[0].std(axis=0), expected, rtol=0.06)


def test_words_are_drawn_together_in_pairs_of_the_same_language() -> None:
    values = rng(12).random((50, 1))
    samples = [one_sample(values), one_sample(values), one_sample(values, source="fr")]

    means = resampled_means(samples, rng(), resamples=200)

    np.testing.assert_allclose(means[0], means[1])
    assert not np.allclose(means[0], means[2])


def test_missing_answers_are_left_out_of_means() -> None:
    values = np.array([[1.0, np.nan], [1.0, np.nan], [np.nan, 0.5], [1.0, np.nan]])

    means = resampled_means([one_sample(values)], rng(), resamples=100)

    known = ~np.isnan(means[0])
    assert set(means[0, known[:, 0], 0]) == {1.0}
    assert set(means[0, known[:, 1], 1]) == {0.5}
    assert 0 < known[:, 1].sum() < 100


def test_a_pair_without_words_has_no_means() -> None:
    samples = [one_sample(np.ones((3, 1))), one_sample(np.ones((0, 1)), source="fr")]

    means = resampled_means(samples, rng(), resamples=10)

    assert means[0].tolist() == [[1.0]] * 10
    assert np.isnan(means[1]).all()


def test_blocks_of_resamples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [one_sample(rng(13).random((40, 2)))]
    whole = resampled_means(samples, rng(5), resamples=103)

    monkeypatch.setattr(significance, "_NUMBERS_IN_A_BLOCK", 40 * 10)

    assert np.array_equal(resampled_means(samples, rng(5), resamples=103), whole)


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ([0.5, 0.6, 0.01], [1.0, 1.0, 0.03]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.2], [0.2]),
        ([], []),
    ],
)
def test_holm_corrects_as_by_hand(p_values: list[float], corrected: list[float]) -> None:
    np.testing.assert_allclose(holm(np.array(p_values)), corrected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(deadline=None, max_examples=60)
def test_holm_keeps_the_order_and_lies_between_none_and_bonferroni(p_values: list[float]) -> None:
    given_values = np.array(p_values)

    corrected = holm(given_values)

    assert (corrected >= given_values).all()
    assert (corrected <= np.minimum(1, given_values * len(p_values)) + 1e-12).all()
    order = np.argsort(given_values, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
