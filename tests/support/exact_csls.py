"""Exact CSLS in both directions, by four searches: the oracle for approximate CSLS."""

from __future__ import annotations

from bilex.similarity import BothWays, csls_topk, neighborhood_means
from bilex.values import Matrix


def csls_both_ways(source: Matrix, target: Matrix, k: int, *, neighborhood: int = 10) -> BothWays:
    """Return the k best by CSLS of each source row and of each target row."""
    source_means = neighborhood_means(source, target, neighborhood)
    target_means = neighborhood_means(target, source, neighborhood)
    return BothWays(
        csls_topk(source, target, k, query_means=source_means, candidate_means=target_means),
        csls_topk(target, source, k, query_means=target_means, candidate_means=source_means),
    )
