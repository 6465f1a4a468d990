"""Cross-domain similarity local scaling (CSLS, Conneau et al., 2018).

    CSLS(x, y) = 2 x·y − r(x) − r(y)

r(x) is the mean similarity of x to its nearest neighbors in the other language: high for hubs,
which are close to many words. Both means are computed before the search, so CSLS is an inner
product with a bias for each side, and the top-k kernel computes it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from bilex.similarity.approximate import best_among, mean_of_rows
from bilex.similarity.kernel import SearchPool, two_pools
from bilex.similarity.products import products_at
from bilex.values import Compute, Matrix, Neighbors, Progress, Vector

_NEAR = 32  # nearest by cosine, among which `approximate_csls` finds the best by CSLS


class BothWays(NamedTuple):
    """The best targets of each source row, and the best sources of each target row."""

    forward: Neighbors
    backward: Neighbors


def neighborhood_means(
    rows: Matrix,
    others: Matrix | SearchPool,
    neighborhood: int,
    *,
    compute: Compute | None = None,
    near: Neighbors | None = None,
    on_block: Progress | None = None,
) -> Vector:
    """Return r: the mean similarity of each row to its nearest rows of the other language.

    See `csls_topk` for the arguments.
    """
    pool = others if isinstance(others, SearchPool) else SearchPool(others, compute=compute)
    if near is None:
        found = pool.topk(rows, neighborhood, on_block=on_block)
    else:
        found = pool.best_of(near, rows, neighborhood)
    return found.scores.mean(dim=1)


def near_rows(rows: Matrix, others: SearchPool, neighborhood: int) -> torch.Tensor:
    """Return rows of the other language near each row, at least twice as many as a neighborhood."""
    return others.propose(rows, max(_NEAR, 2 * neighborhood)).ids


def means_among(rows: Matrix, others: Matrix, near: torch.Tensor, neighborhood: int) -> Vector:
    """Return r, approximately: only `near` rows of the other language may be nearest rows."""
    products = products_at(rows, others, near)
    return products.topk(min(neighborhood, near.shape[1]), dim=1).values.mean(dim=1)


def csls_topk(
    queries: Matrix,
    candidates: Matrix | SearchPool,
    k: int,
    *,
    query_means: Vector,
    candidate_means: Vector,
    compute: Compute | None = None,
    near: Neighbors | None = None,
    on_block: Progress | None = None,
) -> Neighbors:
    """Return the k candidates with the largest CSLS for each query, best first.

    Args:
        queries: (n, dim).
        candidates: (m, dim), or a pool of them, which has its own `compute`.
        k: Number of neighbors to return.
        query_means: r of each query.
        candidate_means: r of each candidate.
        compute: How to search.
        near: Candidates near each query, if `SearchPool.near` has found them already.
        on_block: Called with the number of finished queries and the total.
    """
    if not isinstance(candidates, SearchPool):
        candidates = SearchPool(candidates, compute=compute)
    pool, query_bias = candidates.biased(-candidate_means / 2), -query_means / 2
    if near is None:
        half = pool.topk(queries, k, query_bias=query_bias, on_block=on_block)
    else:
        half = pool.best_of(near, queries, k, query_bias=query_bias)
    return Neighbors(half.ids, 2 * half.scores)


def csls_at(
    queries: Matrix,
    candidates: Matrix,
    ids: torch.Tensor,
    *,
    query_means: Vector,
    candidate_means: Vector,
) -> Matrix:
    """Return the CSLS of each query with the candidates in its line of `ids`, (n, k)."""
    cosines = products_at(queries, candidates, ids)
    return 2 * cosines - query_means[:, None] - candidate_means[ids]


def approximate_csls(
    source: Matrix,
    target: Matrix,
    k: int,
    *,
    neighborhood: int = 10,
    compute: Compute | None = None,
) -> BothWays:
    """Return the k best by CSLS of each source and target row, approximately.

    Two searches instead of the four of an exact result: r is the mean over the nearest rows by
    cosine, and the best by CSLS are chosen among the same rows. A row that is not among the
    nearest by cosine, and would be best by CSLS only because its r is low, is missed.
    """
    count = max(_NEAR, neighborhood, k)
    source_pool, target_pool = two_pools(source, target, compute)
    forward = target_pool.propose(source, count)
    backward = source_pool.propose(target, count)
    source_means = (source * mean_of_rows(target, forward.ids[:, :neighborhood])).sum(1)
    target_means = (target * mean_of_rows(source, backward.ids[:, :neighborhood])).sum(1)

    def best(
        queries: Matrix, means: Vector, candidates: Matrix, others: Vector, near: Neighbors
    ) -> Neighbors:
        pool = SearchPool(candidates, bias=-others / 2, compute=compute)
        among = Neighbors(near.ids, near.scores - others[near.ids] / 2)
        half = best_among(among, pool, queries, k, query_bias=-means / 2)
        return Neighbors(half.ids, 2 * half.scores)

    return BothWays(
        best(source, source_means, target, target_means, forward),
        best(target, target_means, source, source_means, backward),
    )
