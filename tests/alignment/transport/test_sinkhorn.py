"""The solver against laws of transport and against other solvers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from bilex.alignment.transport import Sinkhorn
from bilex.errors import DimensionError, SettingError

ot = pytest.importorskip("ot")

SOLVER = Sinkhorn(max_iterations=5000, tolerance=1e-10)
sizes = st.integers(1, 8)
draws = st.integers(0, 2**32 - 1)


def log_kernel_of(n: int, m: int, draw: int, *, spread: float = 2.0) -> torch.Tensor:
    rng = torch.Generator().manual_seed(draw)
    return spread * torch.randn(n, m, generator=rng, dtype=torch.float64)


def masses(n: int, draw: int) -> torch.Tensor:
    weights = torch.rand(n, generator=torch.Generator().manual_seed(draw), dtype=torch.float64)
    return (weights + 0.1) / (weights + 0.1).sum()


@given(n=sizes, m=sizes, draw=draws)
@settings(deadline=None, max_examples=40)
def test_the_plan_meets_both_marginals(n: int, m: int, draw: int) -> None:
    a, b = masses(n, draw), masses(m, draw + 1)
    found = SOLVER.solve(log_kernel_of(n, m, draw), source_marginal=a, target_marginal=b)
    assert found.converged
    torch.testing.assert_close(found.matrix().sum(1), a)
    torch.testing.assert_close(found.matrix().sum(0), b, atol=1e-9, rtol=1e-6)


@given(n=sizes, m=sizes, draw=draws)
@settings(deadline=None, max_examples=40)
def test_a_constant_on_a_row_or_a_column_changes_nothing(n: int, m: int, draw: int) -> None:
    log_kernel = log_kernel_of(n, m, draw)
    shifted = log_kernel + 300 * log_kernel_of(n, 1, draw + 1) + 300 * log_kernel_of(1, m, draw + 2)
    torch.testing.assert_close(
        SOLVER.solve(log_kernel).matrix(), SOLVER.solve(shifted).matrix(), atol=1e-8, rtol=1e-6
    )


@given(n=sizes, m=sizes, draw=draws)
@settings(deadline=None, max_examples=40)
def test_relabeling_words_permutes_the_plan(n: int, m: int, draw: int) -> None:
    log_kernel = log_kernel_of(n, m, draw)
    rng = torch.Generator().manual_seed(draw)
    rows, columns = torch.randperm(n, generator=rng), torch.randperm(m, generator=rng)
    torch.testing.assert_close(
        SOLVER.solve(log_kernel).matrix()[rows][:, columns],
        SOLVER.solve(log_kernel[rows][:, columns]).matrix(),
        atol=1e-9,
        rtol=1e-6,
    )


@pytest.mark.parametrize("epsilon", [1.0, 0.2])
def test_a_prior_is_a_discount_on_the_cost(epsilon: float) -> None:
    rng = torch.Generator().manual_seed(0)
    cost = torch.rand(12, 9, generator=rng, dtype=torch.float64)
    log_prior = log_kernel_of(12, 9, 1).log_softmax(1)
    found = SOLVER.solve(log_prior - cost / epsilon).matrix()
    discounted = (cost - epsilon * log_prior).numpy()
    expected = ot.sinkhorn(
        np.full(12, 1 / 12), np.full(9, 1 / 9), discounted, epsilon, stopThr=1e-12
    )
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-9)


@pytest.mark.parametrize(("source", "target"), [(None, 0.3), (2.0, None), (0.7, 0.3)])
def test_relaxed_marginals_agree_with_another_solver(
    source: float | None, target: float | None
) -> None:
    epsilon, a, b = 0.5, masses(11, 0), masses(7, 1)
    cost = torch.rand(11, 7, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    relaxed = Sinkhorn(
        max_iterations=5000,
        tolerance=1e-12,
        source_relaxation=None if source is None else source / epsilon,
        target_relaxation=None if target is None else target / epsilon,
    )
    found = relaxed.solve(-cost / epsilon, source_marginal=a, target_marginal=b)
    hard = float("inf")
    expected = ot.unbalanced.sinkhorn_unbalanced(
        a.numpy(),
        b.numpy(),
        cost.numpy(),
        epsilon,
        (hard if source is None else source, hard if target is None else target),
        reg_type="kl",
        c=np.ones((11, 7)),
        stopThr=1e-13,
        numItermax=5000,
    )
    assert found.converged
    np.testing.assert_allclose(found.matrix().numpy(), expected, rtol=1e-6)


def test_a_weaker_penalty_lets_the_marginal_go_farther() -> None:
    log_kernel, uniform = log_kernel_of(20, 20, 0), 1 / 20
    misses = [
        (Sinkhorn(target_relaxation=price).solve(log_kernel).matrix().sum(0) - uniform).abs().sum()
        for price in (0.1, 1.0, 10.0, None)
    ]
    assert misses == sorted(misses, reverse=True)


@given(n=st.integers(2, 6), draw=draws)
@settings(deadline=None, max_examples=10)
def test_a_small_epsilon_gives_the_best_assignment(n: int, draw: int) -> None:
    cost = torch.rand(n, n, generator=torch.Generator().manual_seed(draw))
    found = Sinkhorn(max_iterations=1000, tolerance=1e-3).solve(-cost / 1e-3).matrix()
    assert bool(found.isfinite().all())
    rows, columns = linear_sum_assignment(cost.numpy())
    best = float(cost[rows, columns].mean())
    assert float((found * cost).sum()) == pytest.approx(best, abs=5e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("relaxation", [None, 1.0])
def test_a_huge_range_stays_finite(dtype: torch.dtype, relaxation: float | None) -> None:
    log_kernel = (20_000 * torch.rand(30, 40, generator=torch.Generator().manual_seed(0))) - 10_000
    solver = Sinkhorn(max_iterations=50, target_relaxation=relaxation)
    found = solver.solve(log_kernel.to(dtype))
    assert bool(found.matrix().isfinite().all())
    assert found.error == found.error
    torch.testing.assert_close(
        found.matrix().sum(1), torch.full((30,), 1 / 30, dtype=dtype), atol=1e-4, rtol=0
    )


def test_giving_up_is_reported_and_not_raised() -> None:
    found = Sinkhorn(max_iterations=1, tolerance=0.0).solve(log_kernel_of(30, 20, 0))
    assert (found.converged, found.n_iter) == (False, 1)
    missed = (found.matrix().sum(0) - 1 / 20).abs().sum()
    assert 0 < missed <= found.error
    torch.testing.assert_close(found.matrix().sum(1), torch.full((30,), 1 / 30).double())


def test_the_log_kernel_is_left_as_it_was_and_the_given_memory_is_used() -> None:
    log_kernel, out = log_kernel_of(5, 4, 0, spread=100.0), torch.empty(5, 4, dtype=torch.float64)
    found = SOLVER.solve(log_kernel, out=out)
    assert torch.equal(log_kernel, log_kernel_of(5, 4, 0, spread=100.0))
    assert found.kernel is out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_iterations": 0}, "sinkhorn.max_iterations is 0: give 1 or more"),
        ({"tolerance": -1.0}, "sinkhorn.tolerance is -1.0"),
        ({"source_relaxation": 0.0}, "sinkhorn.source_relaxation is 0.0"),
        ({"target_relaxation": -2.0}, "sinkhorn.target_relaxation is -2.0"),
    ],
)
def test_settings_out_of_bounds_are_errors(given: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Sinkhorn(**given)  # type: ignore[arg-type]


def test_shapes_that_do_not_fit_are_errors() -> None:
    log_kernel = torch.zeros(3, 2)
    with pytest.raises(DimensionError, match=r"shape \(0, 2\)"):
        SOLVER.solve(torch.zeros(0, 2))
    with pytest.raises(DimensionError, match=r"source_marginal has shape \(2,\), expected \(3,\)"):
        SOLVER.solve(log_kernel, source_marginal=masses(2, 0))
    for out in (log_kernel, torch.empty(2, 3)):
        with pytest.raises(DimensionError, match="`out` must be a different matrix"):
            SOLVER.solve(log_kernel, out=out)


def test_masses_that_cannot_be_met_are_errors() -> None:
    log_kernel = torch.zeros(3, 2)
    with pytest.raises(SettingError, match="target_marginal has a mass that is not positive"):
        SOLVER.solve(log_kernel, target_marginal=torch.tensor([1.0, 0.0]))
    with pytest.raises(SettingError, match="sums to 1, target_marginal to 2"):
        SOLVER.solve(log_kernel, target_marginal=torch.ones(2))
    relaxed = Sinkhorn(target_relaxation=1.0).solve(log_kernel, target_marginal=torch.ones(2))
    assert relaxed.converged
