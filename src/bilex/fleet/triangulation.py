"""Candidate models of pairs without seeds, learned from seeds through the hub.

The maps of both languages were also trained without the seeds of a part of the hub's words, the
same words for both. Under these maps, seeds through a word of that part are new,
and the candidates of their words show what is right and what is not. Features include what
translations through the hub say, under the same maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bilex.calibration.held_out import HeldOutSeeds
from bilex.calibration.labels import (
    LabeledCandidates,
    join,
    label_candidates,
    ordinary_features,
)
from bilex.calibration.learning import learn
from bilex.candidates.features import Need, choose_features
from bilex.candidates.model import CandidateModel
from bilex.candidates.ranking import Ranking
from bilex.candidates.spelling import seeds_compare
from bilex.config import build_part
from bilex.fleet.placed_pair import HubDirection, PlacedPair, ThroughHub
from bilex.fleet.tasks import InduceTask
from bilex.values import IndexedLexicon, SpacePair


@dataclass(frozen=True, eq=False)
class LearnedModels:
    """Candidate models of both directions, and how many candidates of a word they are for."""

    models: tuple[CandidateModel, CandidateModel]
    depth: int


def learn_through_hub(
    pair: PlacedPair, task: InduceTask, final: HubDirection, parts: Sequence[ThroughHub]
) -> LearnedModels | None:
    """Learn the candidate models of a pair; None if there is too little to learn from.

    Args:
        pair: Both languages.
        task: The task of the pair.
        final: The direction from the first to the second language under the final maps.
        parts: What is known through the hub under the maps of each part of the seeds.
    """
    calibration = build_part("calibration", task.tables)
    if not isinstance(calibration, HeldOutSeeds):
        return None
    spaces = SpacePair(pair.first.space, pair.second.space)
    seeds = pair.seeds
    features = choose_features(
        calibration.without, available=_available(seeds.pairs, spaces), plugins=pair.plugins
    )

    def ranking(forward: HubDirection, *, reverse: bool) -> Ranking:
        direction = forward.reversed() if reverse else forward
        return Ranking(direction, None, calibration.candidates, pair.compute, pair.plugins)

    labeled: dict[bool, list[LabeledCandidates]] = {False: [], True: []}
    for part, through in enumerate(parts):
        forward = pair.direction(part, through).with_pairs(pair.compute)
        for reverse in (False, True):
            gold = seeds.gold(part, reverse=reverse)
            if not gold:
                return None
            some = ranking(forward, reverse=reverse)
            labeled[reverse].append(label_candidates(some, gold, features))
    models = []
    for reverse in (False, True):
        ordinary = ordinary_features(ranking(final, reverse=reverse), features)
        models.append(learn(join(labeled[reverse]), features, ordinary))
    if models[0] is None or models[1] is None:
        return None
    return LearnedModels((models[0], models[1]), calibration.candidates)


def _available(seeds: IndexedLexicon, spaces: SpacePair) -> frozenset[Need]:
    found: frozenset[Need] = frozenset({"second map", "paths"})
    return found | {"comparable spelling"} if seeds_compare(seeds, spaces) else found
