"""Candidate models of pairs without seeds, learned from seeds through the hub.

Two languages with seeds of the same words of the hub have seeds of their own: both translations of
a word of the hub. The maps of both languages were also trained without the seeds of a part of the
hub's words, the same words for both. Under these maps, seeds through a word of that part are new,
and the candidates of their words show what is right and what is not. Features include what
translations through the hub say, under the same maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bilex.calibration.held_out import HeldOutSeeds, part_of
from bilex.calibration.labels import (
    Gold,
    LabeledCandidates,
    join,
    label_candidates,
    ordinary_features,
)
from bilex.calibration.learning import learn
from bilex.candidates.features import Need, choose_features
from bilex.candidates.model import CandidateModel
from bilex.candidates.paths import Paths
from bilex.candidates.ranking import Ranking
from bilex.candidates.spelling import seeds_compare
from bilex.config import build_part
from bilex.fleet.folder import FleetFolder
from bilex.fleet.link_file import read_link
from bilex.fleet.placed_pair import HubDirection, PlacedPair
from bilex.fleet.tasks import InduceTask
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SpacePair


@dataclass(frozen=True, eq=False)
class LearnedModels:
    """Candidate models of both directions, and how many candidates of a word they are for."""

    models: tuple[CandidateModel, CandidateModel]
    depth: int


@dataclass(frozen=True, eq=False)
class SeedsThroughHub:
    """Word pairs of two languages that are translations of one word of the hub.

    Attributes:
        pairs: The pairs.
        parts: The part of the hub's word of each pair: (n_pairs,).
        mixed: Words of the first and of the second language with seeds of several parts. The maps
            of every part have seen one of these seeds.
    """

    pairs: IndexedLexicon
    parts: torch.Tensor
    mixed: tuple[torch.Tensor, torch.Tensor]

    def gold(self, part: int, *, reverse: bool) -> Gold:
        """Return the right translations of words whose seeds all belong to a part."""
        pairs = self.pairs.take(self.parts == part)
        if reverse:
            pairs = IndexedLexicon(pairs.target_ids, pairs.source_ids, pairs.weights)
        return pairs.take(~torch.isin(pairs.source_ids, self.mixed[reverse])).answers


def open_paths(task: InduceTask, folder: FleetFolder) -> list[Paths]:
    """Return paths through the hub, under final maps and under those of each part of the seeds.

    Empty for pairs with the hub, and if the lexicons with the hub have no probabilities.
    """
    if task.links is None:
        return []
    links = [
        read_link(folder.link(place.code, key))
        for place, key in zip((task.first, task.second), task.links, strict=True)
    ]
    return [Paths(*both) for both in zip(*links, strict=False)]


def seeds_through_hub(
    first: Lexicon, second: Lexicon, spaces: SpacePair, parts: int
) -> SeedsThroughHub:
    """Combine the seeds of two languages with the hub.

    Args:
        first: Words of the first language, and of the hub.
        second: Words of the second language, and of the hub.
        spaces: The vectors of both languages.
        parts: How many parts the words of the hub are divided into.
    """
    by_hub: dict[str, list[str]] = {}
    for entry in second.entries:
        by_hub.setdefault(entry.target, []).append(entry.source)
    number_of: dict[tuple[int, int], int] = {}
    sources, targets = spaces.source.index, spaces.target.index
    for entry in first.entries:
        for word in by_hub.get(entry.target, ()):
            if entry.source in sources and word in targets:
                rows = sources[entry.source], targets[word]
                number_of.setdefault(rows, part_of(entry.target, parts))
    ids = torch.tensor(list(number_of), dtype=torch.long).reshape(-1, 2)
    pairs = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(len(ids)))
    numbers = torch.tensor(list(number_of.values()), dtype=torch.long)
    mixed = _mixed(first, spaces.source, parts), _mixed(second, spaces.target, parts)
    return SeedsThroughHub(pairs, numbers, mixed)


def learn_through_hub(
    pair: PlacedPair, task: InduceTask, final: HubDirection, paths: Sequence[Paths]
) -> LearnedModels | None:
    """Learn the candidate models of a pair; None if there is too little to learn from.

    Args:
        pair: Both languages.
        task: The task of the pair.
        final: The direction from the first to the second language under the final maps.
        paths: Paths through the hub for each part of the seeds.
    """
    calibration = build_part("calibration", task.tables)
    if pair.parts < 2 or len(paths) != pair.parts or not isinstance(calibration, HeldOutSeeds):
        return None
    spaces = SpacePair(pair.first.space, pair.second.space)
    seeds = seeds_through_hub(pair.first.seeds, pair.second.seeds, spaces, pair.parts)
    features = choose_features(
        calibration.without, available=_available(seeds.pairs, spaces), plugins=pair.plugins
    )

    def ranking(forward: HubDirection, *, reverse: bool) -> Ranking:
        direction = forward.reversed() if reverse else forward
        return Ranking(direction, None, calibration.candidates, pair.compute, pair.plugins)

    labeled: dict[bool, list[LabeledCandidates]] = {False: [], True: []}
    for part, through in enumerate(paths):
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


def _mixed(seeds: Lexicon, space: EmbeddingSpace, parts: int) -> torch.Tensor:
    """Return the words with seeds of several parts, as rows."""
    found: dict[int, set[int]] = {}
    for entry in seeds.entries:
        if entry.source in space.index:
            found.setdefault(space.index[entry.source], set()).add(part_of(entry.target, parts))
    rows = [row for row, numbers in found.items() if len(numbers) > 1]
    return torch.tensor(rows, dtype=torch.long)


def _available(seeds: IndexedLexicon, spaces: SpacePair) -> frozenset[Need]:
    found: frozenset[Need] = frozenset({"second map", "paths"})
    return found | {"comparable spelling"} if seeds_compare(seeds, spaces) else found
