"""Maps that have not seen some of the seeds, and what these maps propose for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, cast

import torch

from bilex.calibration.candidate_lists import Direction
from bilex.calibration.doubts import distance_shares
from bilex.calibration.learning import JudgedCandidates
from bilex.calibration.verdicts import gold_of, judge, make_direction
from bilex.protocols import LexiconMessage, Retriever, Strategy
from bilex.supervised import Procrustes
from bilex.transport.quality import mean_csls
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair, Vector

ASTRAY = 0.7
"""A rotation whose mean CSLS is less than this share of another's, learned from more seeds, has
not found its way. Of maps from 9 to 42 seeds that worked, shares were 0.89 to 1.01; of those that
did not, 0.26 to 0.48."""

_ASTRAY_WORDS = 5_000  # the most frequent, over which mean CSLS is taken


class Maps(NamedTuple):
    """A map, and another between the same spaces for a second opinion."""

    first: LinearMap
    second: LinearMap


@dataclass(frozen=True, eq=False)
class CrossFitting:
    """What stays the same for all parts."""

    pair: SpacePair
    seeds: IndexedLexicon
    parts: Sequence[torch.Tensor]  # which of the seeds are held out
    features: tuple[str, ...]
    candidates: int
    retrieval: Retriever
    update: LexiconMessage  # what finds the pairs of second maps
    rng: torch.Generator
    tick: Callable[[], None]  # told of each part that is done

    def judge(
        self, unseen: Iterable[Direction], reverse: tuple[bool, ...]
    ) -> list[list[JudgedCandidates]]:
        """Judge what each map proposes for the part it has not seen, for each way to ask."""
        found: list[list[JudgedCandidates]] = [[] for _ in reverse]
        for ahead, away in zip(unseen, self.parts, strict=True):
            for verdicts, back in zip(found, reverse, strict=True):
                direction = ahead.reversed() if back else ahead
                gold = gold_of(self.seeds, away, reverse=back)
                verdicts.append(
                    judge(direction, gold, self.features, self.candidates, self.pair.compute)
                )
        return found

    def direction(self, maps: Maps) -> Direction:
        """Return maps ready to be asked for translations of the source language."""
        return make_direction(self.pair, maps.first, maps.second, self.retrieval)


def retrained(work: CrossFitting, strategy: Strategy, away: torch.Tensor) -> Maps:
    """Train on the seeds that are not held out."""
    kept = work.seeds.take(~away)
    first = strategy.run(work.pair, kept, rng=work.rng)
    found = Maps(first, second_map(work.pair, kept, first, work.update, work.rng))
    work.tick()
    return found


def on_course(
    work: CrossFitting, maps: Maps, unseen: Sequence[Maps]
) -> tuple[CrossFitting, Sequence[Maps]]:
    """Leave out maps that went astray for want of seeds, and the parts that they have not seen.

    With some dozens of seeds the others may suffice and a half of them not: what the map of that
    half proposes says nothing of the map that is used. Rotations are compared, since RCSLS brings
    words together in maps that are wrong, too.
    """

    def quality(each: Maps) -> float:
        return mean_csls(work.pair, each.second, words=_ASTRAY_WORDS, hub_limit=None)

    reached = quality(maps)
    least = ASTRAY * reached if reached > 0 else -torch.inf
    kept = [number for number, each in enumerate(unseen) if quality(each) >= least]
    parts = [work.parts[number] for number in kept]
    return dataclasses.replace(work, parts=parts), [unseen[number] for number in kept]


def unseen_shares(work: CrossFitting, unseen: Sequence[Maps]) -> Vector:
    """Return how far apart the words of each seed are for the map that has not seen it."""
    found = torch.zeros(len(work.seeds), device=work.seeds.source_ids.device)
    for maps, away in zip(unseen, work.parts, strict=True):
        found[away] = distance_shares(work.pair, maps.first, work.seeds.take(away))
    return found


def with_rounds(strategy: Strategy, most: int) -> Strategy:
    """Return the strategy with at most so many rounds, or as it is if it has none."""
    rounds = getattr(strategy, "rounds", None)
    if not isinstance(rounds, int):
        return strategy
    return cast(Strategy, dataclasses.replace(cast(Any, strategy), rounds=min(rounds, most)))


def second_map(
    pair: SpacePair,
    lexicon: IndexedLexicon,
    mapping: LinearMap,
    update: LexiconMessage,
    rng: torch.Generator,
) -> LinearMap:
    """Return the rotation that fits the seeds and the pairs that the map is sure of."""
    return Procrustes().fit_map(pair, update.extend(pair, mapping, lexicon), rng=rng)


def counting(on_part: Progress | None, total: int) -> Callable[[], None]:
    """Return what is told of each part that is done, and passes on how many of how many are."""
    done = count(1)

    def tick() -> None:
        if on_part is not None:
            on_part(next(done), total)

    return tick
