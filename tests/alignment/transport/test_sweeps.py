"""The solver that works in blocks, against the one that holds a kernel, and laws of transport."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.alignment.transport import Rounding, Sinkhorn, barycenters, sweeps
from bilex.alignment.transport.sweeps import LogKernel, SweepingSinkhorn
from bilex.errors import SettingError
from bilex.values import Matrix, unit_rows
from host_syncs import HostSyncs

TIGHT = SweepingSinkhorn(max_iterations=2_000, tolerance=1e-6)


def factors(n: int, m: int, dim: int = 5, *, sharpness: float = 3.0, draw: int = 0) -> list[Matrix]:
    rng = torch.Generator().manual_seed(draw)
    return [
        sharpness * torch.randn(n, dim, generator=rng),
        unit_rows(torch.randn(m, dim, generator=rng)),
        torch.randn(m, generator=rng),
    ]


def plan_matrix(kernel: LogKernel, potential: torch.Tensor) -> Matrix:
    n, m = kernel.shape
    weights = torch.cat([block[:, :m].clone() for block in kernel.row_weights(potential)])
    return weights / (n * weights.sum(1, keepdim=True))


@given(n=st.integers(1, 40), m=st.integers(1, 40), draw=st.integers(0, 999))
@settings(deadline=None, max_examples=40)
def test_the_plan_is_that_of_the_solver_with_a_kernel(n: int, m: int, draw: int) -> None:
    rows, columns, bias = factors(n, m, draw=draw)
    found = TIGHT.solve(LogKernel(rows, columns, bias=bias))
    log_kernel = (rows @ columns.T + bias).double()
    held = Sinkhorn(max_iterations=5_000, tolerance=1e-9).solve(log_kernel).matrix()
    assert found.converged
    torch.testing.assert_close(
        plan_matrix(found.kernel, found.potential), held.float(), atol=1e-5, rtol=1e-2
    )


@pytest.mark.parametrize("price", [0.2, 1.0, 5.0])
def test_relaxed_targets_agree_too(price: float) -> None:
    rows, columns, bias = factors(30, 20)
    solver = SweepingSinkhorn(max_iterations=2_000, tolerance=1e-6, target_relaxation=price)
    found = solver.solve(LogKernel(rows, columns, bias=bias))
    held = Sinkhorn(max_iterations=5_000, tolerance=1e-9, target_relaxation=price)
    expected = held.solve((rows @ columns.T + bias).double()).matrix().float()
    torch.testing.assert_close(
        plan_matrix(found.kernel, found.potential), expected, atol=1e-5, rtol=1e-3
    )


@pytest.mark.parametrize("sharpness", [1e3, 1e5])
def test_a_huge_range_stays_finite(sharpness: float) -> None:
    rows, columns, _ = factors(60, 50, sharpness=sharpness)
    found = SweepingSinkhorn(max_iterations=30).solve(LogKernel(rows, columns))
    assert bool(plan_matrix(found.kernel, found.potential).isfinite().all())
    assert found.error == found.error


@pytest.mark.parametrize("at_once", [1, 7, 256])
def test_blocks_do_not_change_the_plan(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, columns, bias = factors(50, 70)
    whole = TIGHT.solve(LogKernel(rows, columns, bias=bias)).potential
    monkeypatch.setattr(sweeps, "_ROWS_AT_ONCE", at_once)
    found = TIGHT.solve(LogKernel(rows, columns, bias=bias)).potential
    torch.testing.assert_close(found - found[0], whole - whole[0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("sharpness", [3.0, 30.0])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-5])
def test_kept_weights_lead_to_the_plan_of_computed_ones(
    sharpness: float, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, columns, bias = factors(400, 300, sharpness=sharpness)
    monkeypatch.setattr(sweeps, "_ROUNDING_PAYS_FROM", 1)
    monkeypatch.setattr(sweeps, "fast_bfloat16", lambda _: False)
    kernel = LogKernel(rows, columns, bias=bias)
    solver = SweepingSinkhorn(max_iterations=2_000, tolerance=tolerance)
    kept = solver.solve(kernel)
    monkeypatch.setattr(sweeps, "_KEPT_UP_TO", 0)
    computed = solver.solve(kernel)
    assert kept.converged
    assert computed.converged
    apart = plan_matrix(kernel, kept.potential) - plan_matrix(kernel, computed.potential)
    assert float(apart.abs().sum()) < 2 * tolerance


@pytest.mark.parametrize("farthest", [0.0, 0.5, 30.0])
def test_weights_are_computed_again_when_potentials_have_moved_far(
    farthest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, columns, bias = factors(60, 50, sharpness=20.0)
    kernel = LogKernel(rows, columns, bias=bias)
    sweeps_of_kernel: list[torch.Tensor] = []
    original = kernel.row_weights

    def counted(at: torch.Tensor) -> Iterator[Matrix]:
        sweeps_of_kernel.append(at)
        return original(at)

    monkeypatch.setattr(kernel, "row_weights", counted)
    monkeypatch.setattr(sweeps, "_FARTHEST", farthest)
    found = TIGHT.solve(kernel)
    assert found.converged
    if farthest == 0.0:
        assert len(sweeps_of_kernel) == found.n_iter + 1
    else:
        far = [b - a for a, b in pairwise(sweeps_of_kernel)]
        assert all(float(step.max() - step.min()) > 0.2 * farthest for step in far)
        assert len(sweeps_of_kernel) < found.n_iter
    held = Sinkhorn(max_iterations=5_000, tolerance=1e-9).solve((rows @ columns.T + bias).double())
    torch.testing.assert_close(
        plan_matrix(kernel, found.potential), held.matrix().float(), atol=1e-5, rtol=1e-2
    )


def test_blocks_obey_the_memory() -> None:
    rows, columns, _ = factors(300, 3_000)
    kernel = LogKernel(rows, columns, memory=8 * 3_008 * 10)
    sizes = {len(block) for block in kernel.row_weights(kernel.level())}
    assert sizes == {10}


def test_what_is_added_for_a_block_counts() -> None:
    rows, columns, bias = factors(300, 40)
    more = torch.randn(300, 40, generator=torch.Generator().manual_seed(5))
    found = TIGHT.solve(LogKernel(rows, columns, bias=bias, more=lambda block: more[block]))
    held = Sinkhorn(max_iterations=5_000, tolerance=1e-9)
    expected = held.solve((rows @ columns.T + bias + more).double()).matrix().float()
    torch.testing.assert_close(
        plan_matrix(found.kernel, found.potential), expected, atol=1e-6, rtol=1e-2
    )


def test_long_steps_save_sweeps_of_a_sharp_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows, columns, bias = factors(300, 200, sharpness=12.0)
    kernel = LogKernel(rows, columns, bias=bias)
    solver = SweepingSinkhorn(max_iterations=2_000, tolerance=1e-4)
    found = solver.solve(kernel)
    monkeypatch.setattr(sweeps, "_LONG_STEP", 1.0)
    plain = solver.solve(kernel)
    assert found.converged
    assert found.n_iter < 0.75 * plain.n_iter
    expected = plan_matrix(kernel, plain.potential)
    torch.testing.assert_close(plan_matrix(kernel, found.potential), expected, atol=2e-5, rtol=2e-2)


def test_potentials_of_a_similar_problem_save_sweeps() -> None:
    rows, columns, bias = factors(200, 100)
    cold = TIGHT.solve(LogKernel(rows, columns, bias=bias))
    near = LogKernel(rows + 1e-4, columns, bias=bias)
    warm = TIGHT.solve(near, start=cold.potential)
    assert warm.n_iter < cold.n_iter
    again = TIGHT.solve(cold.kernel, start=cold.potential)
    assert (again.n_iter, again.converged) == (0, True)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("rounding", ["one-hot", "top-k", "soft"])
def test_barycenters_are_those_of_the_held_plan(
    rounding: Rounding, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kept:
        monkeypatch.setattr(sweeps, "_KEPT_UP_TO", 0)
    rows, columns, bias = factors(300, 90)
    target = torch.randn(90, 4, generator=torch.Generator().manual_seed(9))
    swept = TIGHT.solve(LogKernel(rows, columns, bias=bias))
    assert (swept.kept is not None) == kept
    held = Sinkhorn(max_iterations=5_000, tolerance=1e-7).solve(rows @ columns.T + bias)
    torch.testing.assert_close(
        barycenters(swept, target, rounding=rounding, k=3),
        barycenters(held, target, rounding=rounding, k=3),
        atol=1e-3,
        rtol=1e-2,
    )


@pytest.mark.parametrize("rounding", ["one-hot", "soft"])
def test_rounding_the_factors_hardly_moves_the_barycenters(
    rounding: Rounding, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, columns, bias = factors(400, 300, dim=20, sharpness=4.0)
    found = []
    for fast in (True, False):
        monkeypatch.setattr(sweeps, "_ROUNDING_PAYS_FROM", 1)
        monkeypatch.setattr(sweeps, "fast_bfloat16", lambda _, fast=fast: fast)
        kernel = LogKernel(rows, columns, bias=bias)
        assert (kernel.dtype == torch.bfloat16) == fast
        plan = SweepingSinkhorn(tolerance=1e-3).solve(kernel)
        found.append(barycenters(plan, columns, rounding=rounding))
    apart = (found[0] - found[1]).norm(dim=1)
    assert float(apart.mean()) < 0.03
    assert bool((found[0] != found[1]).any()) or rounding == "one-hot"


def test_giving_up_is_reported() -> None:
    rows, columns, _ = factors(30, 20)
    found = SweepingSinkhorn(max_iterations=1, tolerance=0.0).solve(LogKernel(rows, columns))
    assert (found.converged, found.n_iter) == (False, 1)
    received = plan_matrix(found.kernel, found.potential).sum(0)
    assert float((received - 1 / 20).abs().sum()) == pytest.approx(found.error, abs=1e-5)
    with pytest.raises(SettingError, match=r"sinkhorn\.max_iterations is 0: give 1 or more"):
        SweepingSinkhorn(max_iterations=0)


def test_a_solver_waits_for_the_device_once_in_a_sweep() -> None:
    rows, columns, bias = factors(2_000, 600)
    kernel = LogKernel(rows, columns, bias=bias)  # chooses a precision, for which it may wait
    with HostSyncs() as seen:
        found = SweepingSinkhorn(tolerance=1e-4).solve(kernel)
    assert found.n_iter > 1
    assert len(seen.found) == found.n_iter + 1
    with HostSyncs() as seen:
        barycenters(found, columns)
        barycenters(found, columns, rounding="one-hot")
    assert seen.found == []
