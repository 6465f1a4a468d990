"""Rank target words for a mapped source word, and source words for a target word."""

from bilex.retrieval.aligned import LazyIndex, Side, build_index, check_state, for_drafts, scores_at
from bilex.retrieval.csls import Csls
from bilex.retrieval.nearest import Nearest

__all__ = [
    "Csls",
    "LazyIndex",
    "Nearest",
    "Side",
    "build_index",
    "check_state",
    "for_drafts",
    "scores_at",
]
