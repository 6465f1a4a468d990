"""Cross-fitting: maps trained without some of the seeds, and their candidates for these seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch

from bilex.alignment.feedback import Maps
from bilex.alignment.quality import mean_csls
from bilex.calibration.doubtful_seeds import (
    distance_shares,
    doubtful_pairs,
    far_apart,
    likely_wrong,
    random_pairs,
)
from bilex.calibration.labels import (
    Gold,
    LabeledCandidates,
    gold_of,
    join,
    label_candidates,
    ordinary_features,
)
from bilex.calibration.learning import SMALLEST, learn
from bilex.candidates.features import GROUPS, Feature
from bilex.candidates.lists import Direction, make_direction
from bilex.candidates.model import CandidateModel, CandidateModels
from bilex.candidates.ranking import Ranking
from bilex.candidates.word_parts import WordPairs
from bilex.protocols import Propose, Retriever
from bilex.values import IndexedLexicon, Progress, Reviewed, SpacePair, Vector

ASTRAY = 0.7
"""A rotation counts as wrong if its mean CSLS is less than this share of the mean CSLS of the
rotation learned from all seeds. For maps from 9 to 42 seeds, the shares were 0.89 to 1.01 if the
map worked and 0.26 to 0.48 if not."""

_ASTRAY_WORDS = 5_000  # mean CSLS is taken over this many of the most frequent words

TrainAgain = Callable[[Maps, IndexedLexicon, Propose], tuple[Maps, int]]
"""Trains maps again on seeds and probable pairs; returns them and the number of added pairs."""


class HeldOutPart(NamedTuple):
    """Seeds that were held out, as a mask, and the maps trained without them."""

    seeds: torch.Tensor  # (n_seeds,), bool
    maps: Maps


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Maps trained on all seeds, and maps trained without some of them.

    Attributes:
        spaces: The normalized spaces.
        seeds: The seed pairs.
        maps: Trained on all seeds.
        parts: The seeds in parts, each with maps trained without it; empty if nothing can be
            learned from them.
        complete: Whether every part has maps that work.
        features: Names of the features to learn from.
        depth: How many candidates of a word get a probability.
        retrieval: Finds candidates under each of the maps.
        warnings: Messages to the user.
        distances: The distance of the words of each seed pair under the map trained without it,
            as `distance_shares` measures it.
        random_distances: The same for random pairs of words of these seeds.
        plugins: Compute the features that are not built in.
    """

    spaces: SpacePair
    seeds: IndexedLexicon
    maps: Maps
    parts: tuple[HeldOutPart, ...]
    complete: bool
    features: tuple[str, ...]
    depth: int
    retrieval: Retriever
    warnings: tuple[str, ...]
    distances: Vector
    random_distances: Vector
    plugins: tuple[Feature, ...] = ()
    _pairs: dict[int | None, WordPairs] = field(init=False, default_factory=dict)

    def learn(self) -> CandidateModels:
        """Learn candidate models for both directions from the held-out seeds."""
        if not self.parts:
            return CandidateModels(self.maps.second, self.depth, warnings=self.warnings)
        labeled = [join(found) for found in self._label((False, True))]
        final = self._direction()
        forward, backward = (
            learn(found, self.features, ordinary_features(self._ranking(way, None), self.features))
            for found, way in zip(labeled, (final, final.reversed()), strict=True)
        )
        warnings = [
            _nothing_learned(language, found)
            for model, language, found in zip(
                (forward, backward), ("source", "target"), labeled, strict=True
            )
            if model is None
        ]
        return CandidateModels(
            self.maps.second,
            self.depth,
            forward,
            backward,
            (*self.warnings, *warnings),
            final.known_pairs,
        )

    def improved(
        self, train_again: TrainAgain, on_part: Progress | None = None
    ) -> tuple[CrossFit, int]:
        """Train all maps again on probable pairs, and return how many pairs were added.

        For the maps of a part, the probabilities come from a model that was not trained on the
        seeds of that part. Seeds far apart are left out. If too few pairs are probable, or
        the maps of a part do not work, nothing changes and the number is 0.

        Features of plugins are not used here, because they may be slow.

        Args:
            train_again: Trains maps again on seeds and probable pairs.
            on_part: Called after each training: of the final maps, and of those of each part.
        """
        if not self.complete:
            return self, 0
        if self.plugins:
            quick = replace(self, features=self._built_in(), plugins=())
            found, added = quick.improved(train_again, on_part)
            return replace(found, features=self.features, plugins=self.plugins), added
        self._direction()  # the first one: drafts keep its neighbors for the maps of all parts
        (labeled,) = self._label((False,))
        model = learn(join(labeled), self.features)
        others = [
            learn(join([*labeled[:number], *labeled[number + 1 :]]), self.features)
            for number in range(len(labeled))
        ]
        if model is None or None in others:
            return self, 0
        sound = ~far_apart(self.distances)
        ranking = self._ranking(self._direction(), model)
        maps, added = train_again(self.maps, self.seeds.take(sound), ranking.propose)
        if not added:
            return self, 0
        report = on_part or (lambda done, total: None)
        report(1, len(self.parts) + 1)
        parts = []
        for number, part in enumerate(self.parts):
            ranking = self._ranking(self._direction(number), others[number])
            kept = self.seeds.take(~part.seeds & sound)
            parts.append(HeldOutPart(part.seeds, train_again(part.maps, kept, ranking.propose)[0]))
            report(number + 2, len(self.parts) + 1)
        return replace(self, maps=maps, parts=tuple(parts)), added

    def doubtful_seeds(self) -> tuple[tuple[str, str], ...]:
        """Return the seed pairs that are likely wrong, the worst first."""
        if not self.parts:
            return ()
        return doubtful_pairs(self.spaces, self.seeds, self.distances, self.random_distances)

    def _label(self, reverse: tuple[bool, ...]) -> list[list[LabeledCandidates]]:
        """Label the candidates of each part's seeds under the maps of that part, by direction."""
        by_part = [self._label_part(number, reverse) for number in range(len(self.parts))]
        return [list(found) for found in zip(*by_part, strict=True)]

    def _label_part(self, number: int, reverse: tuple[bool, ...]) -> list[LabeledCandidates]:
        """Label the candidates of the seeds of a part, in each direction.

        Words of seeds that are likely wrong are left out: their candidates would be labeled wrong,
        and all probabilities would be too low.
        """
        found = []
        part, forward, reviewed = self.parts[number], self._direction(number), self.spaces.reviewed
        trusted = ~likely_wrong(self.distances, self.random_distances)
        for back in reverse:
            ranking = self._ranking(forward.reversed() if back else forward, None)
            gold = gold_of(self.seeds, part.seeds & trusted, reverse=back)
            sample = None
            if reviewed is not None and not back:
                gold = {**gold, **self._without_answer(reviewed, number)}
                sample = reviewed.sample
            found.append(label_candidates(ranking, gold, self.features, sample))
        return found

    def _without_answer(self, reviewed: Reviewed, part: int) -> Gold:
        """Return a part of the words of which reviewers accepted nothing that a map could find.

        All their candidates count as wrong. No map was trained on them, so any part may have them.
        """
        words = torch.unique(reviewed.rejected[:, 0])
        words = words[~torch.isin(words, self.seeds.source_ids)]
        return dict.fromkeys(words[part :: len(self.parts)].tolist(), frozenset())

    def _built_in(self) -> tuple[str, ...]:
        own = {name for plugin in self.plugins for name in plugin.names}
        return tuple(name for name in self.features if name not in own)

    def _direction(self, part: int | None = None) -> Direction:
        """Return the direction under the maps of a part; None is for the final maps.

        It has several copies of the vectors, so it is not kept, but made again when needed.
        """
        maps, seeds = self.maps, self.seeds
        if part is not None:
            maps, seeds = self.parts[part].maps, seeds.take(~self.parts[part].seeds)
        found = make_direction(self.spaces, maps.first, maps.second, self.retrieval, seeds)
        if set(GROUPS["word_parts"].names).isdisjoint(self.features):
            return found
        found = replace(found, known_pairs=self._pairs.get(part)).with_pairs(self.spaces.compute)
        assert found.known_pairs is not None  # noqa: S101 - what `with_pairs` is for
        self._pairs[part] = found.known_pairs
        return found

    def _ranking(self, direction: Direction, model: CandidateModel | None) -> Ranking:
        return Ranking(direction, model, self.depth, self.spaces.compute, self.plugins)


def working_parts(
    spaces: SpacePair, maps: Maps, parts: Sequence[HeldOutPart]
) -> tuple[HeldOutPart, ...]:
    """Return the parts whose maps work, although they are trained on fewer seeds than `maps`.

    With a few dozen seeds, all of them may be enough while half of them are not. The candidates of
    a map that does not work say nothing about the final map. Rotations are compared, because RCSLS
    moves words close together even in wrong maps.
    """

    def quality(each: Maps) -> float:
        return mean_csls(spaces, each.second, words=_ASTRAY_WORDS, hub_limit=None)

    reached = quality(maps)
    least = ASTRAY * reached if reached > 0 else -torch.inf
    return tuple(part for part in parts if quality(part.maps) >= least)


def distances_of_held_out(
    spaces: SpacePair, seeds: IndexedLexicon, parts: Sequence[HeldOutPart]
) -> tuple[Vector, Vector]:
    """Return the distances of the words of each seed under the map trained without it.

    The second result are the distances of random pairs of these words, for comparison.
    """
    found = torch.zeros(len(seeds), device=seeds.source_ids.device)
    by_chance = [found[:0]]
    for part in parts:
        held_out = seeds.take(part.seeds)
        found[part.seeds] = distance_shares(spaces, part.maps.first, held_out)
        by_chance.append(distance_shares(spaces, part.maps.first, random_pairs(held_out)))
    return found, torch.cat(by_chance)


def too_few_words(language: str, words: int) -> str:
    """Return the warning that there are too few words to learn probabilities."""
    return (
        f"the seeds have {words} {language} words, too few to learn probabilities from (at least "
        f"{SMALLEST} are needed): translations are ranked by their scores alone"
    )


def _nothing_learned(language: str, labeled: LabeledCandidates) -> str:
    if len(labeled.right) < SMALLEST:
        return too_few_words(language, len(labeled.right))
    return (
        f"of the {labeled.right.numel():,} candidates of {len(labeled.right):,} held-out "
        f"{language} words, {int(labeled.right.sum()):,} are right, so no probabilities can be "
        "learned and translations are ranked by their scores alone: check a sample before you use "
        "them, or give more seed pairs"
    )
