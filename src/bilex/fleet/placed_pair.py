"""Two languages in one space, under their final maps or those of a part of the seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, cast

from bilex.alignment.feedback import Maps
from bilex.candidates.features import GROUPS, Feature
from bilex.candidates.lists import Direction
from bilex.candidates.model import CandidateModel, CandidateModels
from bilex.candidates.paths import Paths
from bilex.candidates.word_parts import WordPairs
from bilex.config import build_part
from bilex.fleet.align import open_alignment
from bilex.fleet.folder import FleetFolder
from bilex.fleet.pair_seeds import (
    PairSeeds,
    no_seeds,
    seeds_through_hub,
    seeds_with_hub,
)
from bilex.fleet.prepare import open_language
from bilex.fleet.tasks import InduceTask, Place
from bilex.model.feature_plugins import feature_plugins
from bilex.protocols import Retriever
from bilex.retrieval import Side, build_index, for_drafts
from bilex.values import (
    Compute,
    EmbeddingSpace,
    Lexicon,
    LinearMap,
    Matrix,
    Normalization,
    SpacePair,
    unit_rows,
)

_SPELLING = frozenset(GROUPS["strings"].names)


@dataclass(frozen=True, eq=False)
class ThroughHub:
    """What is known of two languages without the hub through it.

    Attributes:
        paths: Paths between them.
        sides: Both under a map between them that was trained on what the paths lead to; None if
            they are only in the space of the hub.
    """

    paths: Paths
    sides: tuple[Side, Side] | None = None


@dataclass(frozen=True, eq=False)
class HubDirection(Direction):
    """Two languages in the space of the hub, or of one of them, each with two maps.

    Attributes:
        seconds: Both sides under their second maps.
    """

    seconds: tuple[Side, Side] | None = None

    @cached_property
    def second_source(self) -> Side:
        """Return the side of the words under its second map."""
        return self.source if self.seconds is None else self.seconds[0]

    @cached_property
    def second_targets(self) -> Matrix:
        """Return all candidates as unit rows under their second map."""
        if self.seconds is None or self.seconds[1] is self.target:
            return self.targets
        side = self.seconds[1]
        return unit_rows(side.carry(side.space.vectors))

    def reversed(self) -> Self:
        """Return the same languages in the other direction."""
        seconds = None if self.seconds is None else (self.seconds[1], self.seconds[0])
        return replace(super().reversed(), seconds=seconds)


@dataclass(frozen=True, eq=False)
class PlacedLanguage:
    """A language with its maps into the space of the hub.

    Attributes:
        place: Where it is.
        space: Its vectors.
        maps: Its maps; None for the hub.
        parts: Its maps for each part of the seeds; empty if there are none, and for the hub.
        models: The candidate models of the language and its parent.
        seeds: The seeds of the language and its parent that are in both vocabularies.
    """

    place: Place
    space: EmbeddingSpace
    maps: Maps | None
    parts: tuple[Maps, ...]
    models: CandidateModels | None
    seeds: Lexicon

    @property
    def parent(self) -> str | None:
        """Return the language that this one is aligned to; None for the hub."""
        return self.place.way[0].parent if self.place.way else None

    @property
    def pair(self) -> str:
        """Return the codes of the language and its parent."""
        return f"{self.place.code}-{self.parent}"

    def sides(self, part: int | None) -> tuple[Side, Side]:
        """Return the language under both maps of a part of the seeds; None is for the final maps.

        The hub has no maps.
        """
        side = Side(self.space, Normalization())  # prepared vectors are normalized
        if self.maps is None:
            return side, side
        maps = self.maps if part is None else self.parts[part]
        return tuple(Side(self.space, Normalization(), each) for each in maps)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class PlacedPair:
    """Two languages in the space of the hub.

    Attributes:
        first: The language that comes first in the fleet.
        second: The other one.
        retrieval: Finds candidates.
        compute: How to search.
        plugins: Features that are not built in.
    """

    first: PlacedLanguage
    second: PlacedLanguage
    retrieval: Retriever
    compute: Compute
    plugins: tuple[Feature, ...] = ()

    @property
    def parts(self) -> int:
        """Return the number of parts of the seeds for which both languages have maps."""
        found = [len(each.parts) for each in (self.first, self.second) if each.maps is not None]
        return found[0] if len(set(found)) == 1 else 0

    @cached_property
    def seeds(self) -> PairSeeds:
        """Return the seeds of the pair, or if it has none, those through the parent of both."""
        first, second = self.first, self.second
        spaces, parts = SpacePair(first.space, second.space), max(1, self.parts)
        if self.is_edge(first):
            return seeds_with_hub(first.seeds, spaces, parts)
        if self.is_edge(second):
            back = SpacePair(second.space, first.space)
            return seeds_with_hub(second.seeds, back, parts).reversed()
        if first.parent == second.parent:
            return seeds_through_hub(first.seeds, second.seeds, spaces, parts)
        return no_seeds()

    @cached_property
    def _drafts(self) -> Retriever:
        """Return a retriever that is shared by the maps of all parts."""
        return for_drafts(self.retrieval)

    def direction(self, part: int | None = None, through: ThroughHub | None = None) -> HubDirection:
        """Return the direction from the first to the second language.

        Args:
            part: The part of the seeds that the maps are trained without; None for final maps.
            through: What is known through the hub. If that includes a map between the languages,
                the maps to the hub are the second ones.
        """
        known = self._known_pairs() if part is None else None
        (source, second_source), (target, second_target) = (
            each.sides(part) for each in (self.first, self.second)
        )
        if through is not None and through.sides is not None:
            second_source, second_target = source, target
            source, target = through.sides
        retrieval = self.retrieval if part is None else self._drafts
        index = build_index(retrieval, source, target, compute=self.compute)
        return HubDirection(
            source,
            target,
            index.forward,
            index.backward,
            paths=None if through is None else through.paths,
            reverse=self.first.maps is None,  # models of a pair are trained toward the hub
            known_pairs=known,
            seeds=WordPairs.of(self.seeds.without(part)),
            seconds=(second_source, second_target),
        )

    def models(self) -> tuple[PlacedLanguage | None, CandidateModel | None, CandidateModel | None]:
        """Return the language whose candidate models are used, and the models of both directions.

        If one language is the parent of the other, these are the models of this very pair.
        Otherwise they are carried over from the pair of one of the two languages and its parent:
        from the one that learned nothing from spelling, if only one did, because the spellings of
        these two languages may not be comparable; else from the one that learned from more words.
        """
        known = [each for each in (self.first, self.second) if each.models is not None]
        if not known:
            return None, None, None
        own = [each for each in known if self.is_edge(each)]
        best = own[0] if own else max(known, key=_trust)
        assert best.models is not None  # noqa: S101 - of `known`
        forward, backward = best.models.forward, best.models.backward
        # Models of a pair translate from the language to its parent, and backward.
        return (best, forward, backward) if best is self.first else (best, backward, forward)

    def _known_pairs(self) -> WordPairs | None:
        """Return the words that were found to be each other's nearest, if the pair was trained."""
        for language in (self.first, self.second):
            models = language.models
            if models is not None and models.pairs is not None and self.is_edge(language):
                return models.pairs if language is self.first else models.pairs.reversed()
        return None

    def is_edge(self, language: PlacedLanguage) -> bool:
        """Return whether the other language is the parent of this one."""
        other = self.second if language is self.first else self.first
        return language.parent == other.place.code


def place_pair(
    task: InduceTask, places: tuple[Place, Place], folder: FleetFolder, *, memory: int
) -> PlacedPair:
    """Open both languages of a task and their maps, at the given places."""
    return PlacedPair(
        first=place_language(places[0], folder),
        second=place_language(places[1], folder),
        retrieval=cast(Retriever, build_part("retrieval", task.tables)),
        compute=Compute(memory=memory, search=task.search),
        plugins=feature_plugins(task.tables),
    )


def place_language(place: Place, folder: FleetFolder) -> PlacedLanguage:
    """Open a language and its maps."""
    space = open_language(folder.language(place.code, place.prepared))
    way = [open_alignment(folder.alignment(s.code, s.parent, s.key)) for s in place.way]
    if not way:
        return PlacedLanguage(place, space, None, (), None, Lexicon(()))
    models = way[0].models
    rest = [alignment.mapping for alignment in way[1:]]
    first = _product([way[0].mapping, *rest])
    second = first if models is None else _product([models.second, *rest])
    # Words of the hub divide the seeds, so only languages with seeds of the hub have parts.
    parts = way[0].parts if not rest else ()
    return PlacedLanguage(place, space, Maps(first, second), parts, models, way[0].seeds)


def _product(maps: list[LinearMap]) -> LinearMap:
    """Return the map that applies several, one after the other."""
    weight = maps[0].weight.double()
    for mapping in maps[1:]:
        weight = weight @ mapping.weight.double()
    return LinearMap(weight.float())


def _trust(language: PlacedLanguage) -> tuple[bool, int]:
    models = _both(language.models)
    spelling = any(_SPELLING.intersection(model.features) for model in models.values())
    words = [int(cast(int, model.report["words"])) for model in models.values()]
    return not spelling, sum(words)


def _both(models: CandidateModels | None) -> Mapping[str, CandidateModel]:
    found = {} if models is None else {"forward": models.forward, "backward": models.backward}
    return {name: model for name, model in found.items() if model is not None}
