"""The quality of a map, measured without known translations."""

from __future__ import annotations

from typing import Literal

import torch

from bilex.alignment.transport.rounding import barycenters
from bilex.alignment.transport.sinkhorn import Sinkhorn
from bilex.errors import SettingError
from bilex.similarity import approximate_csls
from bilex.values import LinearMap, Matrix, SpacePair, unit_rows

HUB_LIMIT = 20
"""A target that is the best match of more source words than this is a hub."""


def transport_cost(
    spaces: SpacePair, mapping: LinearMap, *, words: int = 5_000, epsilon: float = 0.05
) -> float:
    """Return the mean transport cost, −cosine, from mapped source words to target words.

    This is the Wasserstein cost of the most frequent words, with entropic smoothing; lower is
    better. It is low only if every target word has mapped words nearby, so a map that moves most
    words to hubs has a high cost.

    Args:
        spaces: Both spaces.
        mapping: The map to measure; need not be orthogonal.
        words: How many of the most frequent words of each language to use; takes 8·words² bytes.
        epsilon: Entropic smoothing of the plan.
    """
    if not epsilon > 0:
        raise SettingError(f"epsilon is {epsilon}: give a number above 0")
    source, target = _frequent(spaces, mapping, words)
    solver = Sinkhorn(max_iterations=200, tolerance=1e-4)
    plan = solver.solve(source @ target.T / epsilon)
    return -float((source * barycenters(plan, target)).sum(dim=1).mean())


def mean_csls(
    spaces: SpacePair,
    mapping: LinearMap,
    *,
    words: int = 10_000,
    hub_limit: int | None = 20,
    neighborhood: int = 10,
) -> float:
    """Return the mean CSLS of the best match of each frequent word; higher is better.

    Best matches are searched among the nearest words by cosine (`approximate_csls`), which finds
    nearly all of them in less than half the time.

    Args:
        spaces: Both spaces.
        mapping: The map to measure; need not be orthogonal.
        words: How many of the most frequent words of each language to use.
        hub_limit: Leave out a word if its best match is also that of more than this many words;
            None keeps all words. If no word is left, the result is minus infinity.
        neighborhood: Number of neighbors in the penalties of CSLS.
    """
    if hub_limit is not None and hub_limit < 1:
        raise SettingError(f"hub_limit is {hub_limit}: give 1 or more, or None")
    source, target = _frequent(spaces, mapping, words)
    best = approximate_csls(
        source, target, 1, neighborhood=neighborhood, compute=spaces.compute
    ).forward
    ids, scores = best.ids[:, 0], best.scores[:, 0]
    if hub_limit is not None:
        scores = scores[torch.bincount(ids)[ids] <= hub_limit]
    return float(scores.mean()) if len(scores) else -torch.inf


def better_map(
    spaces: SpacePair, first: LinearMap, second: LinearMap, *, by: Literal["transport", "csls"]
) -> LinearMap:
    """Return the map that aligns the most frequent words better; the first if they are equal."""
    if by == "transport":
        costs = [transport_cost(spaces, mapping) for mapping in (first, second)]
        return first if costs[0] <= costs[1] else second
    scores = [mean_csls(spaces, mapping, hub_limit=HUB_LIMIT) for mapping in (first, second)]
    return first if scores[0] >= scores[1] else second


def _frequent(spaces: SpacePair, mapping: LinearMap, words: int) -> tuple[Matrix, Matrix]:
    if words < 1:
        raise SettingError(f"words is {words}: give 1 or more")
    source = unit_rows(mapping.apply(spaces.source.vectors[:words]))
    return source, unit_rows(spaces.target.vectors[:words])
