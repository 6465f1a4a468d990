"""Rank target words for a mapped source word, and source words for a target word."""

from bilex.retrieval.aligned import Side, build_index, for_drafts
from bilex.retrieval.csls import Csls
from bilex.retrieval.nearest import Nearest

__all__ = ["Csls", "Nearest", "Side", "build_index", "for_drafts"]
