"""Maps that have not seen some of the seeds: trained anew, or with what they learned taken out."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple, cast

import torch

from bilex.messages import MutualPairs
from bilex.protocols import LexiconMessage, Strategy
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, LinearMap, SpacePair

Maps = Literal["retrained", "relearned"]
"""How a map comes about that has not seen a seed."""


class TwoMaps(NamedTuple):
    """A map, and another between the same spaces for a second opinion."""

    first: LinearMap
    second: LinearMap


def retrained(
    pair: SpacePair, kept: IndexedLexicon, *, strategy: Strategy, parts: int, rng: torch.Generator
) -> TwoMaps:
    """Train on the seeds that are kept, in two rounds or this part's share of all rounds."""
    rounds = getattr(strategy, "rounds", 1)
    found = with_rounds(strategy, max(2, rounds // parts)).run(pair, kept, rng=rng)
    return TwoMaps(found, second_map(pair, kept, found, rng))


def relearned(
    pair: SpacePair,
    known: IndexedLexicon,
    seeds: IndexedLexicon,
    away: torch.Tensor,
    *,
    strategy: Strategy,
    rng: torch.Generator,
) -> TwoMaps:
    """Take the pairs of some words out of what a map has learned from, and learn from the rest.

    How good a map is depends on thousands of pairs it has found by itself; a single seed matters
    for its own two words. So all pairs of these words are taken out, a rotation learned from the
    rest finds the pairs they would have had without the seed, and one round of training gives a
    map as good as the first that has not seen the seed. That is much quicker than training anew,
    and does not fail where half of the seeds would be too few to begin with.

    Args:
        pair: The normalized spaces.
        known: What the map has learned from: the seeds first, then what was found.
        seeds: The seeds, some of which are to be unseen.
        away: Which of them.
        strategy: How the map was trained.
        rng: Where all chance comes from.
    """
    kept, gone = part(seeds, ~away), part(seeds, away)
    found = _after(known, len(seeds))
    rest = _joined(kept, part(found, ~_touches(found, gone)))
    update = lexicon_update(strategy)
    if update is not None:
        rough = Procrustes().fit_map(pair, rest, rng=rng)
        anew = _after(update.extend(pair, rough, kept), len(kept))
        rest = _joined(rest, part(anew, _touches(anew, gone)))
    first = with_rounds(strategy, 1).run(pair, rest, rng=rng)
    return TwoMaps(first, Procrustes().fit_map(pair, rest, rng=rng))


def lexicon_update(strategy: Strategy) -> LexiconMessage | None:
    """Return what finds pairs in this strategy, if anything does."""
    return cast("LexiconMessage | None", getattr(strategy, "lexicon_update", None))


def with_rounds(strategy: Strategy, most: int) -> Strategy:
    """Return the strategy with at most so many rounds, or as it is if it has none."""
    rounds = getattr(strategy, "rounds", None)
    if not isinstance(rounds, int):
        return strategy
    return cast(Strategy, dataclasses.replace(cast(Any, strategy), rounds=min(rounds, most)))


def second_map(
    pair: SpacePair, lexicon: IndexedLexicon, mapping: LinearMap, rng: torch.Generator
) -> LinearMap:
    """Return the rotation that fits the seeds and the pairs that the map is sure of."""
    return Procrustes().fit_map(pair, MutualPairs().extend(pair, mapping, lexicon), rng=rng)


def part(lexicon: IndexedLexicon, chosen: torch.Tensor) -> IndexedLexicon:
    """Return some of the pairs."""
    return IndexedLexicon(
        lexicon.source_ids[chosen], lexicon.target_ids[chosen], lexicon.weights[chosen]
    )


def _after(lexicon: IndexedLexicon, first: int) -> IndexedLexicon:
    rows = torch.arange(len(lexicon), device=lexicon.source_ids.device)
    return part(lexicon, rows >= first)


def _touches(lexicon: IndexedLexicon, gone: IndexedLexicon) -> torch.Tensor:
    """Tell which pairs have a word in common with those that are gone."""
    return torch.isin(lexicon.source_ids, gone.source_ids) | torch.isin(
        lexicon.target_ids, gone.target_ids
    )


def _joined(one: IndexedLexicon, other: IndexedLexicon) -> IndexedLexicon:
    return IndexedLexicon(
        torch.cat([one.source_ids, other.source_ids]),
        torch.cat([one.target_ids, other.target_ids]),
        torch.cat([one.weights, other.weights]),
    )
