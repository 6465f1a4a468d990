"""What is known of two languages through the hub: paths, and a map trained on what they lead to.

The product of two maps through the hub has the errors of both. A map between the two languages
themselves has not, and the most probable paths are enough pairs to train it on.
"""

from __future__ import annotations

from typing import cast

import torch

from bilex.alignment.feedback import ConfidentPairs
from bilex.candidates.paths import Paths
from bilex.config import build_part
from bilex.fleet.folder import FleetFolder
from bilex.fleet.link_file import read_link
from bilex.fleet.placed_pair import PlacedPair, ThroughHub
from bilex.fleet.tasks import InduceTask
from bilex.protocols import Proposals, Strategy
from bilex.retrieval import Side
from bilex.values import Normalization, SpacePair

PROBABLE = ConfidentPairs(least=0.1, rank_limit=20_000, weighting="probability")
"""Which paths are pairs to train on. A path sum is a product of probabilities, so it is low."""

_WORDS_AT_ONCE = 2_048


def open_through_hub(pair: PlacedPair, task: InduceTask, folder: FleetFolder) -> list[ThroughHub]:
    """Return what is known under the final maps, and under those of each part of the seeds.

    Empty for pairs with the hub, if the lexicons with the hub have no probabilities, and if the
    two languages do not have maps for the same parts.
    """
    if task.links is None:
        return []
    links = [
        read_link(folder.link(place.code, key))
        for place, key in zip((task.first, task.second), task.links, strict=True)
    ]
    paths = [Paths(*both) for both in zip(*links, strict=False)]
    if pair.parts < 2 or len(paths) != 1 + pair.parts:
        return []
    sides = [
        own_sides(pair, task, through, part)
        for through, part in zip(paths, (None, *range(pair.parts)), strict=True)
    ]
    if None in sides:
        return [ThroughHub(through) for through in paths]
    return [ThroughHub(*both) for both in zip(paths, sides, strict=True)]


def own_sides(
    pair: PlacedPair, task: InduceTask, paths: Paths, part: int | None
) -> tuple[Side, Side] | None:
    """Train a map between the two languages; return them in the space of one of them.

    The language with fewer dimensions is mapped, because a map to fewer dimensions loses some.
    With as many, it is the source language of the direction that is written first.

    Args:
        pair: Both languages.
        task: The task of the pair.
        paths: Paths between them, under the maps of the part.
        part: The part of the seeds that is not used; None uses all.

    Returns:
        The first and the second language; None if too few paths are probable.
    """
    spaces, seeds = SpacePair(pair.first.space, pair.second.space, pair.compute), pair.seeds
    turned = _is_turned(spaces, task)
    if turned:
        spaces = SpacePair(spaces.target, spaces.source, pair.compute)
        seeds, paths = seeds.reversed(), paths.reversed()
    known = seeds.without(part)
    pairs = PROBABLE.extend(spaces, known, lambda rows: _best_ends(paths, rows))
    if len(pairs) == len(known):
        return None
    strategy = cast(Strategy, build_part("strategy", task.tables)).shortened(1)
    rng = torch.Generator(pairs.source_ids.device).manual_seed(task.random_state)
    mapped = Side(spaces.source, Normalization(), strategy.run(spaces, pairs, rng=rng))
    fixed = Side(spaces.target, Normalization())
    return (fixed, mapped) if turned else (mapped, fixed)


def _is_turned(spaces: SpacePair, task: InduceTask) -> bool:
    """Return whether the second language is mapped into the space of the first."""
    first, second = spaces.source.dim, spaces.target.dim
    written_first = task.directions[0][0] if task.directions else task.first.code
    return second < first or (second == first and written_first == task.second.code)


def _best_ends(paths: Paths, rows: torch.Tensor) -> Proposals:
    """Return where the most probable paths of each word lead to, and what they add up to."""
    found = [paths.proposals(some, 1) for some in torch.split(rows, _WORDS_AT_ONCE)]
    ids, sums = (torch.cat([each[number][:, 0] for each in found]) for number in (0, 1))
    return Proposals(ids, sums.clamp(max=1))
