"""Choosing between maps without labels."""

from __future__ import annotations

from typing import Literal

from bilex.transport import mean_csls, transport_cost
from bilex.values import LinearMap, SpacePair

HUB_LIMIT = 20
"""A target that is the best match of more source words than this is a hub."""


def better_map(
    pair: SpacePair, first: LinearMap, second: LinearMap, *, by: Literal["transport", "csls"]
) -> LinearMap:
    """Return the map that aligns the most frequent words better; the first if they are equal."""
    if by == "transport":
        costs = [transport_cost(pair, mapping) for mapping in (first, second)]
        return first if costs[0] <= costs[1] else second
    scores = [mean_csls(pair, mapping, hub_limit=HUB_LIMIT) for mapping in (first, second)]
    return first if scores[0] >= scores[1] else second
