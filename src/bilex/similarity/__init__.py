"""The one top-k kernel and the one CSLS, for training, retrieval and evaluation."""

from bilex.similarity.approximate import mean_of_nearest
from bilex.similarity.cells import Centers
from bilex.similarity.csls import (
    BothWays,
    approximate_csls,
    csls_at,
    csls_topk,
    means_among,
    near_rows,
    neighborhood_means,
)
from bilex.similarity.hardware import fast_bfloat16
from bilex.similarity.kernel import SearchPool, describe_search, is_approximate, topk, two_pools
from bilex.similarity.mutual import MutualNearest, mutual_nearest
from bilex.similarity.products import products_at

__all__ = [
    "BothWays",
    "Centers",
    "MutualNearest",
    "SearchPool",
    "approximate_csls",
    "csls_at",
    "csls_topk",
    "describe_search",
    "fast_bfloat16",
    "is_approximate",
    "mean_of_nearest",
    "means_among",
    "mutual_nearest",
    "near_rows",
    "neighborhood_means",
    "products_at",
    "topk",
    "two_pools",
]
