"""The nearest rows for training: proposed by the fastest product, without proof.

Where neighbors are averaged, or learned from and found again a moment later, it hardly matters
which of two nearly equal ones is taken.
"""

from __future__ import annotations

import torch

from bilex.similarity.kernel import SearchPool
from bilex.similarity.ranking import ranked
from bilex.values import Matrix, Neighbors, Vector

_EXTRA = 6  # candidates scored in float32 beside those wanted, as the proposing product is coarse


def best_among(
    proposed: Neighbors,
    pool: SearchPool,
    queries: Matrix,
    k: int,
    *,
    query_bias: Vector | None = None,
) -> Neighbors:
    """Return the k best of the candidates that are proposed for each query, best first.

    Args:
        proposed: Candidates of each query, with about their scores.
        pool: All candidates.
        queries: (n, dim).
        k: How many to return.
        query_bias: Added to all scores of a query.
    """
    k = min(k, len(pool))
    likely = proposed.scores.topk(min(k + _EXTRA, proposed.ids.shape[1]), dim=1).indices
    few = proposed.ids.gather(1, likely)
    at_once = max(1, pool.compute.memory // (4 * few.shape[1] * queries.shape[1]))
    blocks = zip(torch.split(queries, at_once), torch.split(few, at_once), strict=True)
    found = [ranked(_scores(pool, some, ids), ids, k) for some, ids in blocks]
    ids, scores = (torch.cat(parts) for parts in zip(*found, strict=True))
    odd = (scores[:, -1] <= 0).nonzero().squeeze(1)  # proposals need not be the best below zero
    if len(odd):
        best = pool.topk(queries[odd], k)
        ids[odd], scores[odd] = best.ids, best.scores
    return Neighbors(ids, scores if query_bias is None else scores + query_bias[:, None])


def near_mean(pool: SearchPool, queries: Matrix, k: int, *, proven: bool) -> Matrix:
    """Return the mean of the k candidates nearest to each query, (n_queries, dim)."""
    found = pool.topk(queries, k) if proven else pool.propose(queries, k)
    return mean_row(pool.candidates, found.ids)


def mean_row(rows: Matrix, ids: torch.Tensor) -> Matrix:
    """Return the mean of the rows that each line of `ids` names."""
    mean: Matrix = torch.nn.functional.embedding_bag(ids, rows, mode="mean")
    return mean


def _scores(pool: SearchPool, queries: Matrix, proposed: torch.Tensor) -> Matrix:
    """Return float32 scores, minus infinity where the last candidate stands in for none."""
    scores = torch.bmm(pool.candidates[proposed], queries.unsqueeze(2)).squeeze(2)
    if pool.bias is not None:
        scores += pool.bias[proposed]
    last = proposed == len(pool) - 1
    return scores.masked_fill_(last & (last.cumsum(1) > 1), -torch.inf)
