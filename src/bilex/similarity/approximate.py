"""Approximate nearest rows for training: proposed by the fastest product, without a certificate.

Training averages neighbors, or searches them again in the next step, so it hardly matters which
of two almost equal neighbors is found.
"""

from __future__ import annotations

import torch

from bilex.similarity.kernel import SearchPool
from bilex.similarity.products import products_at
from bilex.similarity.selection import ranked
from bilex.values import Matrix, Neighbors, Vector

_EXTRA = 6  # more candidates than k are scored in float32, because the proposing product is coarse


def best_among(
    proposed: Neighbors,
    pool: SearchPool,
    queries: Matrix,
    k: int,
    *,
    query_bias: Vector | None = None,
) -> Neighbors:
    """Return the k best of the proposed candidates of each query, best first.

    Args:
        proposed: Candidates of each query, with approximate scores.
        pool: All candidates.
        queries: (n, dim).
        k: Number of neighbors to return.
        query_bias: Added to all scores of a query.
    """
    k = min(k, len(pool))
    likely = proposed.scores.topk(min(k + _EXTRA, proposed.ids.shape[1]), dim=1).indices
    few = proposed.ids.gather(1, likely)
    ids, scores = ranked(_scores(pool, queries, few), few, k)
    odd = (scores[:, -1] <= 0).nonzero().squeeze(1)  # up to zero, proposals may not be the best
    if len(odd):
        best = pool.topk(queries[odd], k)
        ids[odd], scores[odd] = best.ids, best.scores
    return Neighbors(ids, scores if query_bias is None else scores + query_bias[:, None])


def mean_of_nearest(pool: SearchPool, queries: Matrix, k: int, *, exact: bool) -> Matrix:
    """Return the mean of the k candidates nearest to each query, (n_queries, dim).

    Without `exact`, the candidates are those that the fastest product proposes.
    """
    found = pool.topk(queries, k) if exact else pool.propose(queries, k)
    return mean_of_rows(pool.candidates, found.ids)


def mean_of_rows(rows: Matrix, ids: torch.Tensor) -> Matrix:
    """Return the mean of the rows listed in each line of `ids`."""
    mean: Matrix = torch.nn.functional.embedding_bag(ids, rows, mode="mean")
    return mean


def _scores(pool: SearchPool, queries: Matrix, proposed: torch.Tensor) -> Matrix:
    """Return float32 scores; minus infinity for padding, which repeats the last candidate."""
    scores = products_at(queries, pool.candidates, proposed)
    if pool.bias is not None:
        scores += pool.bias[proposed]
    last = proposed == len(pool) - 1
    return scores.masked_fill_(last & (last.cumsum(1) > 1), -torch.inf)
