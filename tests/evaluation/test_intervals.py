"""The intervals against SciPy's, and the laws of resampling."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import bootstrap

from bilex.evaluation import intervals as own
from bilex.evaluation.intervals import percentile_intervals, resampled_means


def generator(value: int) -> torch.Generator:
    return torch.Generator().manual_seed(value)


@pytest.mark.parametrize(("n", "right"), [(40, 9), (500, 310), (1242, 772)])
def test_interval_agrees_with_scipy(n: int, right: int) -> None:
    values = torch.zeros(1, n)
    values[:, :right] = 1

    [(low, high)] = percentile_intervals(resampled_means(values, 4000, generator(0)))

    theirs = bootstrap(
        (values[0].double().numpy(),),
        np.mean,
        n_resamples=4000,
        batch=500,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    width = float(theirs.high - theirs.low)
    assert low == pytest.approx(theirs.low, abs=0.06 * width + 1 / n)
    assert high == pytest.approx(theirs.high, abs=0.06 * width + 1 / n)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_interval_is_a_point_where_all_units_agree(value: float) -> None:
    means = resampled_means(torch.full((1, 30), value), 100, generator(0))

    assert percentile_intervals(means) == [(value, value)]


def test_rankers_share_their_draws_so_that_other_rankers_change_nothing() -> None:
    values = torch.rand(3, 50, generator=generator(3))

    together = resampled_means(values, 200, generator(7))

    for row in range(3):
        alone = resampled_means(values[row : row + 1], 200, generator(7))
        assert torch.equal(together[row], alone[0])


def test_drawing_in_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = torch.rand(2, 50, generator=generator(3))
    whole = resampled_means(values, 103, generator(7))

    monkeypatch.setattr(own, "_DRAWS_IN_A_BLOCK", 500)

    assert torch.equal(resampled_means(values, 103, generator(7)), whole)
