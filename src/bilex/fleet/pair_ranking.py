"""Two languages in the space of the hub, ready to be ranked: maps, candidate models, index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from bilex.candidates.features import GROUPS
from bilex.candidates.lists import Direction
from bilex.candidates.model import CandidateModel, CandidateModels
from bilex.candidates.ranking import Ranking
from bilex.config import build_part
from bilex.fleet.align import open_alignment
from bilex.fleet.folder import FleetFolder
from bilex.fleet.prepare import open_language
from bilex.fleet.tasks import InduceTask, Place
from bilex.protocols import Retriever
from bilex.retrieval import Side, build_index
from bilex.values import Compute, LinearMap, Matrix, Normalization, unit_rows

_SPELLING = frozenset(GROUPS["strings"].names)
_UNCALIBRATED_DEPTH = 1


@dataclass(frozen=True, eq=False)
class HubDirection(Direction):
    """Two languages that are both mapped into the space of the hub, each with two maps.

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

    def reversed(self) -> HubDirection:
        """Return the same languages in the other direction."""
        seconds = None if self.seconds is None else (self.seconds[1], self.seconds[0])
        return HubDirection(self.target, self.source, self.backward, self.forward, seconds=seconds)


@dataclass(frozen=True, eq=False)
class PairRanking:
    """How the words of two languages are ranked in both directions.

    Attributes:
        forward: From the first language to the second.
        backward: From the second to the first.
        calibrated_on: The pair whose seeds the probabilities were learned from; None if there are
            no probabilities.
        is_own: Whether that is this pair. If not, the probabilities are carried over.
    """

    forward: Ranking
    backward: Ranking
    calibrated_on: str | None
    is_own: bool


@dataclass(frozen=True, eq=False)
class _Placed:
    """A language with its maps into the space of the hub."""

    place: Place
    side: Side
    second: Side
    models: CandidateModels | None  # of the language and its parent

    @property
    def pair(self) -> str:
        step = self.place.way[0]
        return f"{step.code}-{step.parent}"


def rank_pair(task: InduceTask, folder: FleetFolder, *, memory: int) -> PairRanking:
    """Map both languages into the space of the hub and index them."""
    first, second = (_placed(place, folder) for place in (task.first, task.second))
    compute = Compute(memory=memory, search=task.search)
    retrieval = cast(Retriever, build_part("retrieval", task.retrieval))
    index = build_index(retrieval, first.side, second.side, compute=compute)
    forward = HubDirection(
        first.side,
        second.side,
        index.forward,
        index.backward,
        seconds=(first.second, second.second),
    )
    source, models = _choose(first, second)
    depth = _UNCALIBRATED_DEPTH if source is None or source.models is None else source.models.depth
    return PairRanking(
        forward=Ranking(forward, models[0], depth, compute),
        backward=Ranking(forward.reversed(), models[1], depth, compute),
        calibrated_on=None if source is None else source.pair,
        is_own=source is not None and _is_edge(source, first, second),
    )


def _placed(place: Place, folder: FleetFolder) -> _Placed:
    space = open_language(folder.language(place.code, place.prepared))
    normalization = Normalization()  # prepared vectors are normalized
    way = [open_alignment(folder.alignment(s.code, s.parent, s.key)) for s in place.way]
    if not way:
        side = Side(space, normalization)
        return _Placed(place, side, side, None)
    models = way[0].models
    rest = [alignment.mapping for alignment in way[1:]]
    first = _product([way[0].mapping, *rest])
    second = first if models is None else _product([models.second, *rest])
    side = Side(space, normalization, first)
    return _Placed(place, side, replace(side, mapping=second), models)


def _product(maps: list[LinearMap]) -> LinearMap:
    """Return the map that applies several, one after the other."""
    weight = maps[0].weight.double()
    for mapping in maps[1:]:
        weight = weight @ mapping.weight.double()
    return LinearMap(weight.float())


def _choose(
    first: _Placed, second: _Placed
) -> tuple[_Placed | None, tuple[CandidateModel | None, CandidateModel | None]]:
    """Return the language whose candidate models are used, and the models of both directions.

    If one language is the parent of the other, these are the models of this very pair. Otherwise
    they are carried over from the pair of one of the two languages and its parent: from the one
    that learned nothing from spelling, if only one did, because the spellings of these two
    languages may not be comparable; else from the one that learned from more words.
    """
    known = [placed for placed in (first, second) if placed.models is not None]
    if not known:
        return None, (None, None)
    own = [placed for placed in known if _is_edge(placed, first, second)]
    best = own[0] if own else max(known, key=_trust)
    assert best.models is not None  # noqa: S101 - of `known`
    forward, backward = best.models.forward, best.models.backward
    # Models of a pair translate from the language to its parent, and backward.
    return best, (forward, backward) if best is first else (backward, forward)


def _is_edge(placed: _Placed, first: _Placed, second: _Placed) -> bool:
    other = second if placed is first else first
    return placed.place.way[0].parent == other.place.code


def _trust(placed: _Placed) -> tuple[bool, int]:
    models = _both(placed.models)
    spelling = any(_SPELLING.intersection(model.features) for model in models.values())
    words = [int(cast(int, model.report["words"])) for model in models.values()]
    return not spelling, sum(words)


def _both(models: CandidateModels | None) -> Mapping[str, CandidateModel]:
    found = {} if models is None else {"forward": models.forward, "backward": models.backward}
    return {name: model for name, model in found.items() if model is not None}
