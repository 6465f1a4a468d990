"""Mutual nearest rows of two languages: each is the other's nearest by CSLS."""

from __future__ import annotations

from typing import NamedTuple

import torch

from bilex.similarity.csls import BothWays, approximate_csls, csls_topk, neighborhood_means
from bilex.values import Compute, Matrix, Neighbors, Vector


class MutualNearest(NamedTuple):
    """Pairs of rows, each the other's nearest; highest credit first: (n_pairs,).

    The credit of a pair is how much nearer it is than the next ones, on average, summed over both
    directions.
    """

    source_ids: torch.Tensor
    target_ids: torch.Tensor
    credit: Vector


def mutual_nearest(
    source: Matrix,
    target: Matrix,
    *,
    rivals: int = 1,
    neighborhood: int = 10,
    exact: bool = False,
    compute: Compute | None = None,
) -> MutualNearest:
    """Return the mutual nearest rows.

    Args:
        source: Unit rows.
        target: Unit rows.
        rivals: The number of next nearest rows that the credit compares with.
        neighborhood: The number of nearest neighbors in CSLS.
        exact: Without it, the nearest by CSLS are searched among the nearest by cosine, which takes
            half the time.
        compute: How to search.
    """
    search = _exact if exact else _fast
    forward, backward = search(source, target, rivals + 1, neighborhood, compute)
    best = forward.ids[:, 0]  # of each source row
    rows = torch.arange(len(source), device=best.device)
    mutual = (backward.ids[:, 0] == rows).nonzero().squeeze(1)
    credit = (_margin(forward) + _margin(backward))[mutual]
    sorted_credit, order = credit.sort(descending=True, stable=True)
    return MutualNearest(mutual[order], best[mutual[order]], sorted_credit)


def _exact(
    source: Matrix, target: Matrix, k: int, neighborhood: int, compute: Compute | None
) -> BothWays:
    """Return the nearest of each source row, and the nearest of its nearest."""
    around_source = neighborhood_means(source, target, neighborhood, compute=compute)
    around_target = neighborhood_means(target, source, neighborhood, compute=compute)
    forward = csls_topk(
        source,
        target,
        k,
        query_means=around_source,
        candidate_means=around_target,
        compute=compute,
    )
    # Only targets that are the best of some source row can be mutual.
    chosen, place = torch.unique(forward.ids[:, 0], return_inverse=True)
    backward = csls_topk(
        target[chosen],
        source,
        k,
        query_means=around_target[chosen],
        candidate_means=around_source,
        compute=compute,
    )
    return BothWays(forward, _of(backward, place))


def _fast(
    source: Matrix, target: Matrix, k: int, neighborhood: int, compute: Compute | None
) -> BothWays:
    """Return nearly the same as `_exact`, in less time."""
    found = approximate_csls(source, target, k, neighborhood=neighborhood, compute=compute)
    return BothWays(found.forward, _of(found.backward, found.forward.ids[:, 0]))


def _of(neighbors: Neighbors, queries: torch.Tensor) -> Neighbors:
    return Neighbors(neighbors.ids[queries], neighbors.scores[queries])


def _margin(neighbors: Neighbors) -> Vector:
    """Return by how much the first neighbor beats the mean of the others; 0 without rivals."""
    first, others = neighbors.scores[:, 0], neighbors.scores[:, 1:]
    return first - others.mean(1) if others.shape[1] else torch.zeros_like(first)
