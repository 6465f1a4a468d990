"""Barycenters of plans, for each way of rounding."""

from __future__ import annotations

import pytest
import torch

from bilex.alignment.transport import Rounding, Sinkhorn, TransportPlan, barycenters


def problem(n: int = 30, m: int = 70) -> tuple[TransportPlan, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    plan = Sinkhorn().solve(3 * torch.randn(n, m, generator=rng))
    return plan, torch.randn(m, 5, generator=rng)


def brute_force(plan: TransportPlan, target: torch.Tensor, kept: int) -> torch.Tensor:
    matrix = plan.matrix()
    lowest = matrix.topk(kept, dim=1).values[:, -1:]
    rounded = torch.where(matrix >= lowest, matrix, 0)
    return rounded / rounded.sum(1, keepdim=True) @ target


@pytest.mark.parametrize(
    ("rounding", "k", "kept"),
    [("one-hot", 10, 1), ("top-k", 1, 1), ("top-k", 4, 4), ("top-k", 99, 70), ("soft", 1, 70)],
)
def test_barycenters_agree_with_the_rounded_matrix(rounding: Rounding, k: int, kept: int) -> None:
    plan, target = problem()
    found = barycenters(plan, target, rounding=rounding, k=k)
    torch.testing.assert_close(found, brute_force(plan, target, kept))


@pytest.mark.parametrize("rounding", ["one-hot", "top-k", "soft"])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (1, 2), (40, 32), (3, 64), (1500, 33)])
def test_every_row_has_mass_one(rounding: Rounding, n: int, m: int) -> None:
    plan, _ = problem(n, m)
    found = barycenters(plan, torch.ones(m, 1), rounding=rounding)
    torch.testing.assert_close(found, torch.ones(n, 1))
