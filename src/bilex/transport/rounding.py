"""From a plan to what each source word is pulled towards: all of its targets, or the best."""

from __future__ import annotations

from typing import Literal

import torch

from bilex.similarity.selection import padded_width, select
from bilex.transport.sinkhorn import TransportPlan
from bilex.values import Matrix

Rounding = Literal["one-hot", "top-k", "soft"]
"""How much of a row of the plan counts: its largest entry, its k largest, or all of it."""

_ROWS_AT_ONCE = 1_024


def barycenters(
    plan: TransportPlan, target: Matrix, *, rounding: Rounding = "soft", k: int = 10
) -> Matrix:
    """Return, for each source, the mean of the target rows, weighted by the row of the plan.

    Every row of the plan counts for mass 1 after rounding. No matrix of the size of the plan is
    made.

    Args:
        plan: From n sources to m targets.
        target: (m, dim).
        rounding: "one-hot" keeps the largest entry of each row, "top-k" the `k` largest.
        k: For "top-k" only.
    """
    kept = {"one-hot": 1, "top-k": k, "soft": len(target)}[rounding]
    if kept >= len(target):
        return _all(plan, target)
    return torch.cat(
        [
            _best(plan.kernel[first : first + _ROWS_AT_ONCE], plan, target, kept)
            for first in range(0, len(plan.kernel), _ROWS_AT_ONCE)
        ]
    )


def _all(plan: TransportPlan, target: Matrix) -> Matrix:
    with_mass = torch.nn.functional.pad(target, (0, 1), value=1.0)  # (m, dim + 1)
    sums = plan.kernel @ (plan.target_scale[:, None] * with_mass)
    return sums[:, :-1] / sums[:, -1:]


def _best(kernel: Matrix, plan: TransportPlan, target: Matrix, kept: int) -> Matrix:
    n, m = kernel.shape
    tile = kernel.new_full((n, padded_width(m)), -1.0)  # padding is worse than any entry
    torch.mul(kernel, plan.target_scale, out=tile[:, :m])
    columns, _ = select(tile, kept)  # (n, kept)
    if kept == 1:
        return target[columns[:, 0]]
    weights = tile.gather(1, columns)
    weights /= weights.sum(dim=1, keepdim=True)
    return torch.einsum("nk,nkd->nd", weights, target[columns])
