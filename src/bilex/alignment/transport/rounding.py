"""Barycenters of a transport plan: over all targets of a source word, or only the best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol

import torch

from bilex.similarity.selection import select
from bilex.values import Matrix

Rounding = Literal["one-hot", "top-k", "soft"]
"""The entries of a row of the plan that are used: the largest, the k largest, or all."""


class Plan(Protocol):
    """A transport plan that can be read a few rows at a time."""

    @property
    def dtype(self) -> torch.dtype:
        """Return the precision of products with this plan."""
        ...

    def row_weights(self) -> Iterator[Matrix]:
        """Return blocks of rows, each up to a factor and padded to `padded_width` with -1."""
        ...


def barycenters(plan: Plan, target: Matrix, *, rounding: Rounding = "soft", k: int = 10) -> Matrix:
    """Return, for each source, the mean of the target rows, weighted by the row of the plan.

    Every row of the plan is scaled to mass 1 after rounding. No matrix of the size of the plan is
    allocated.

    Args:
        plan: The plan from n sources to m targets.
        target: (m, dim).
        rounding: "one-hot" keeps the largest entry of each row, "top-k" the `k` largest.
        k: Entries per row, for "top-k" only.
    """
    kept = {"one-hot": 1, "top-k": k, "soft": len(target)}[rounding]
    if kept < len(target):
        return torch.cat([_best(weights, target, kept) for weights in plan.row_weights()])
    factor = target.to(plan.dtype)
    return torch.cat([_all(weights[:, : len(target)], factor) for weights in plan.row_weights()])


def _all(weights: Matrix, target: Matrix) -> Matrix:
    return (weights.to(target.dtype) @ target).to(weights.dtype) / weights.sum(1, keepdim=True)


def _best(weights: Matrix, target: Matrix, kept: int) -> Matrix:
    columns, _ = select(weights, kept)  # (n, kept)
    if kept == 1:
        return target[columns[:, 0]]
    largest = weights.gather(1, columns)
    largest /= largest.sum(dim=1, keepdim=True)
    return torch.einsum("nk,nkd->nd", largest, target[columns])
