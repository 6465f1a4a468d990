"""Hubness across languages: how unevenly target words are neighbors of source words."""

from __future__ import annotations

import torch

from bilex.inspection.hubness import skewness
from bilex.similarity import topk
from bilex.values import Matrix, unit_rows

SOURCE_WORDS = 10_000
"""Number of queries, the most frequent source words; all target words are candidates."""

NEIGHBORHOOD = 10


def measure_hubness(mapped: Matrix, target: Matrix) -> dict[str, float | None]:
    """Count how often each target word is among the nearest neighbors of frequent source words.

    Args:
        mapped: Source rows in the target space, most frequent first.
        target: Target rows.

    Returns:
        The skewness of these counts (0 is even; above 1 there are hubs), and the share of target
        words that are never a neighbor.
    """
    queries, rows = unit_rows(mapped[:SOURCE_WORDS]), unit_rows(target)
    ids = topk(queries, rows, min(NEIGHBORHOOD, len(rows))).ids
    chosen = torch.bincount(ids.flatten(), minlength=len(rows)).double()
    return {
        "skewness": skewness(chosen),
        "share_unreached": float((chosen == 0).double().mean()),
    }
