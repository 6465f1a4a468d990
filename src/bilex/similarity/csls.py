"""Cross-domain similarity local scaling (Conneau et al., 2018): the one place it is written.

    CSLS(x, y) = 2 x·y − r(x) − r(y)

r(x) is the mean similarity of x to its nearest neighbors in the other language: high for hubs,
which are near everything. Both means are known before the search, so CSLS is an inner product
with a bias for each side, and the one top-k kernel serves it.
"""

from __future__ import annotations

from typing import NamedTuple

from bilex.similarity.kernel import SearchPool, topk
from bilex.similarity.nearly import best_among, mean_row
from bilex.values import Compute, Matrix, Neighbors, Progress, Vector

_NEAR = 32  # by cosine, among which training looks for the best by CSLS


class BothWays(NamedTuple):
    """The best targets of each source row, and the best sources of each target row."""

    forward: Neighbors
    backward: Neighbors


def neighborhood_means(
    rows: Matrix,
    others: Matrix,
    neighborhood: int,
    *,
    compute: Compute | None = None,
    on_block: Progress | None = None,
) -> Vector:
    """Return r: the mean similarity of each row to its nearest rows of the other language."""
    found = topk(rows, others, neighborhood, compute=compute, on_block=on_block)
    return found.scores.mean(dim=1)


def csls_topk(
    queries: Matrix,
    candidates: Matrix,
    k: int,
    *,
    query_means: Vector,
    candidate_means: Vector,
    compute: Compute | None = None,
    on_block: Progress | None = None,
) -> Neighbors:
    """Return the k candidates with the largest CSLS for each query, best first."""
    half = topk(
        queries,
        candidates,
        k,
        query_bias=-query_means / 2,
        candidate_bias=-candidate_means / 2,
        compute=compute,
        on_block=on_block,
    )
    return Neighbors(half.ids, 2 * half.scores)


def csls_both_ways(
    source: Matrix,
    target: Matrix,
    k: int,
    *,
    neighborhood: int = 10,
    compute: Compute | None = None,
    on_block: Progress | None = None,
) -> BothWays:
    """Return the k best by CSLS for every source and for every target row.

    Args:
        source: Source rows, mapped into the target space, unit length.
        target: Target rows, unit length.
        k: How many to return each way.
        neighborhood: How many neighbors make up r.
        compute: Memory and precision; never changes the answer.
        on_block: Told of progress over the four passes.
    """
    n, m = len(source), len(target)
    passes = _Passes(on_block, 2 * (n + m))
    source_means = neighborhood_means(
        source, target, neighborhood, compute=compute, on_block=passes.next(n)
    )
    target_means = neighborhood_means(
        target, source, neighborhood, compute=compute, on_block=passes.next(m)
    )
    forward = csls_topk(
        source,
        target,
        k,
        query_means=source_means,
        candidate_means=target_means,
        compute=compute,
        on_block=passes.next(n),
    )
    backward = csls_topk(
        target,
        source,
        k,
        query_means=target_means,
        candidate_means=source_means,
        compute=compute,
        on_block=passes.next(m),
    )
    return BothWays(forward, backward)


def nearly_csls(
    source: Matrix,
    target: Matrix,
    k: int,
    *,
    neighborhood: int = 10,
    compute: Compute | None = None,
) -> BothWays:
    """Return nearly what `csls_both_ways` does, by two searches instead of four.

    The nearest rows by cosine make up r, and the best by CSLS are chosen among them: one that is
    far from a row, and best for it only because it is far from everything, is missed.
    """
    count = max(_NEAR, neighborhood, k)
    ahead = SearchPool(target, compute=compute).propose(source, count)
    back = SearchPool(source, compute=compute).propose(target, count)
    source_means = (source * mean_row(target, ahead.ids[:, :neighborhood])).sum(1)
    target_means = (target * mean_row(source, back.ids[:, :neighborhood])).sum(1)

    def best(
        queries: Matrix, means: Vector, candidates: Matrix, others: Vector, near: Neighbors
    ) -> Neighbors:
        pool = SearchPool(candidates, bias=-others / 2, compute=compute)
        among = Neighbors(near.ids, near.scores - others[near.ids] / 2)
        half = best_among(among, pool, queries, k, query_bias=-means / 2)
        return Neighbors(half.ids, 2 * half.scores)

    return BothWays(
        best(source, source_means, target, target_means, ahead),
        best(target, target_means, source, source_means, back),
    )


class _Passes:
    """Joins the progress of several searches into one count."""

    def __init__(self, on_block: Progress | None, total: int) -> None:
        self._on_block, self._total, self._before = on_block, total, 0

    def next(self, rows: int) -> Progress | None:
        """Return the callback of the next search, over so many rows."""
        if self._on_block is None:
            return None
        report, before, total = self._on_block, self._before, self._total
        self._before += rows
        return lambda done, _: report(before + done, total)
