"""The one similarity kernel and the one CSLS, for training, retrieval and evaluation alike."""

from bilex.similarity.csls import (
    BothWays,
    csls_both_ways,
    csls_topk,
    nearly_csls,
    neighborhood_means,
)
from bilex.similarity.kernel import SearchPool, fast_bfloat16, topk
from bilex.similarity.nearly import near_mean

__all__ = [
    "BothWays",
    "SearchPool",
    "csls_both_ways",
    "csls_topk",
    "fast_bfloat16",
    "near_mean",
    "nearly_csls",
    "neighborhood_means",
    "topk",
]
