from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.threshold import (
    precision_curve,
    running_precision,
    threshold_for_f1,
    threshold_for_precision,
)
from bilex.errors import SettingError

# Sixty-fourths add up without rounding, and occur often enough to tie.
shares = st.integers(1, 64).map(lambda n: n / 64)
matrices = st.lists(
    st.lists(st.integers(0, 64).map(lambda n: n / 64), min_size=3, max_size=3),
    min_size=1,
    max_size=12,
).map(torch.tensor)


@settings(deadline=None)
@given(matrices, shares)
def test_the_kept_are_precise_enough_and_more_would_not_be(
    probabilities: torch.Tensor, wanted: float
) -> None:
    threshold = threshold_for_precision(probabilities, wanted)
    kept = probabilities[probabilities >= threshold]
    rest = probabilities[probabilities < threshold]
    if len(kept):
        assert float(kept.double().mean()) >= wanted
    else:
        assert threshold == float("inf")
    if len(rest):
        more = probabilities[probabilities >= rest.max()]
        assert float(more.double().mean()) < wanted


@settings(deadline=None)
@given(matrices)
def test_f1_is_the_best_of_all_thresholds(probabilities: torch.Tensor) -> None:
    total = float(probabilities.double().sum())

    def expected_f1(threshold: float) -> float:
        kept = probabilities[probabilities >= threshold].double()
        return 2 * float(kept.sum()) / (len(kept) + total)

    best = max(expected_f1(value) for value in probabilities.flatten().tolist())
    assert expected_f1(threshold_for_f1(probabilities)) == pytest.approx(best)


@settings(deadline=None)
@given(matrices)
def test_the_running_precision_is_a_mean(probabilities: torch.Tensor) -> None:
    numbers, means = running_precision(probabilities)
    best = sorted(probabilities.flatten().tolist(), reverse=True)
    assert numbers.tolist() == list(range(1, len(best) + 1))
    assert means.tolist() == pytest.approx([sum(best[:n]) / n for n in range(1, len(best) + 1)])


@settings(deadline=None)
@given(matrices, st.lists(shares, min_size=1, max_size=4))
def test_the_curve_counts_what_is_left(probabilities: torch.Tensor, wanted: list[float]) -> None:
    points = precision_curve(probabilities, torch.tensor(wanted))
    total = float(probabilities.sum())
    for precision, point in zip(wanted, points, strict=True):
        kept = probabilities >= threshold_for_precision(probabilities, precision)
        assert point.entries == int(kept.sum())
        assert point.words == sum(bool(row.any()) for row in kept)
        assert point.precision >= precision
        if total:
            assert point.recall == pytest.approx(float(probabilities[kept].sum()) / total)
    by_precision = sorted(zip(wanted, points, strict=True), key=lambda one: one[0])
    sizes = [point.entries for _, point in by_precision]
    assert sizes == sorted(sizes, reverse=True)


def test_many_entries_of_one_probability_do_not_slip_in_behind_the_first() -> None:
    probabilities = torch.tensor([[0.95] + [0.5] * 99])
    assert threshold_for_precision(probabilities, 0.7) == pytest.approx(0.95)
    assert threshold_for_precision(probabilities, 0.5) == 0.5


@pytest.mark.parametrize("precision", [0.0, -0.1, 1.01, float("nan")])
def test_a_precision_is_a_share(precision: float) -> None:
    with pytest.raises(SettingError, match="expected above 0 and at most 1"):
        threshold_for_precision(torch.tensor([[0.5]]), precision)
