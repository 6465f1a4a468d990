"""How the words of a pair are ranked: by its own candidate models, learned or carried over."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.candidates.ranking import Ranking
from bilex.fleet.folder import FleetFolder
from bilex.fleet.placed_pair import PlacedPair
from bilex.fleet.tasks import InduceTask
from bilex.fleet.through_hub import open_through_hub
from bilex.fleet.triangulation import learn_through_hub

_UNCALIBRATED_DEPTH = 1


@dataclass(frozen=True, eq=False)
class PairRanking:
    """How the words of two languages are ranked in both directions.

    Attributes:
        forward: From the first language to the second.
        backward: From the second to the first.
        calibrated_on: The pair whose seeds the probabilities were learned from, with the hub in
            the middle if these are seeds through the hub; None if there are no probabilities.
        is_own: Whether that is this pair. If not, the probabilities are carried over.
        triangulated: Whether translations through the hub are features.
    """

    forward: Ranking
    backward: Ranking
    calibrated_on: str | None
    is_own: bool
    triangulated: bool = False


def rank_pair(pair: PlacedPair, task: InduceTask, folder: FleetFolder) -> PairRanking:
    """Return how a pair is ranked.

    A pair without the hub has a candidate model of its own, learned from seeds through the hub.
    If there are too few of them, a model is carried over.
    """
    through = open_through_hub(pair, task, folder)
    if not through:
        return rank_without_paths(pair)
    direction = pair.direction(through=through[0]).with_pairs(pair.compute)
    learned = learn_through_hub(pair, task, direction, through[1:])
    if learned is None:
        return rank_without_paths(pair)
    models, depth = learned.models, learned.depth
    return PairRanking(
        forward=Ranking(direction, models[0], depth, pair.compute, pair.plugins),
        backward=Ranking(direction.reversed(), models[1], depth, pair.compute, pair.plugins),
        calibrated_on=f"{task.first.code}-{task.hub}-{task.second.code}",
        is_own=True,
        triangulated=True,
    )


def rank_without_paths(pair: PlacedPair, part: int | None = None) -> PairRanking:
    """Return how a pair is ranked by the models of one of its languages and its parent.

    Args:
        pair: The pair.
        part: The part of the seeds that the maps are trained without; None for final maps.
    """
    source, forward, backward = pair.models()
    models = None if source is None else source.models
    direction = pair.direction(part)
    if models is not None:
        direction = direction.with_pairs(pair.compute)
    depth = _UNCALIBRATED_DEPTH if models is None else models.depth
    return PairRanking(
        forward=Ranking(direction, forward, depth, pair.compute, pair.plugins),
        backward=Ranking(direction.reversed(), backward, depth, pair.compute, pair.plugins),
        calibrated_on=None if source is None else source.pair,
        is_own=source is not None and pair.is_edge(source),
    )
