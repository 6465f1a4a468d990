"""Feedback: translations that are probable by all features become pairs to train on.

A candidate model sees more than the map does: spelling, frequency, a second map, how candidates
compare. What it finds probable teaches the map what its own nearest neighbors cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

from bilex.alignment.messages import LEAST_WEIGHT
from bilex.alignment.supervised import Procrustes
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.protocols import Feedback, LexiconMessage, Propose, Strategy
from bilex.values import IndexedLexicon, LinearMap, SpacePair


class Maps(NamedTuple):
    """A trained map, and a rotation learned from the same pairs for a second opinion."""

    first: LinearMap
    second: LinearMap


def with_second_map(
    spaces: SpacePair,
    lexicon: IndexedLexicon,
    mapping: LinearMap,
    lexicon_update: LexiconMessage,
    rng: torch.Generator,
) -> Maps:
    """Return a map with the rotation that fits the seeds and the pairs that the map finds."""
    pairs = lexicon_update.extend(spaces, mapping, lexicon)
    return Maps(mapping, Procrustes().fit_map(spaces, pairs, rng=rng))


def train_again(
    spaces: SpacePair,
    maps: Maps,
    seeds: IndexedLexicon,
    propose: Propose,
    *,
    feedback: Feedback,
    strategy: Strategy,
    rng: torch.Generator,
) -> tuple[Maps, int]:
    """Train both maps again on the seeds and on pairs that are probably right.

    Returns:
        The new maps and how many pairs were added; the given maps and 0 if too few are probable.
    """
    pairs = feedback.extend(spaces, seeds, propose)
    added = len(pairs) - len(seeds)
    if not added:
        return maps, 0
    first = strategy.shortened(1).run(spaces, pairs, rng=rng)
    return Maps(first, Procrustes().fit_map(spaces, pairs, rng=rng)), added


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentPairs:
    """Add the most probable translation of each frequent word, each translation once.

    Attributes:
        least: The smallest probability of an added pair.
        size: How many pairs are added at most, the most probable first.
        rank_limit: Over how many of the most frequent source words.
        fewest: Add nothing if fewer pairs are probable than this, or than a tenth of these words:
            a map learned from a few hundred pairs is worse than one that found thousands itself.
        weighting: The weight of an added pair: "equal" is 1, as for a seed; "probability" is its
            probability.
    """

    least: float = 0.5
    size: int = 10_000
    rank_limit: int = 10_000
    fewest: int = 1_000
    weighting: Literal["equal", "probability"] = "equal"

    def __post_init__(self) -> None:
        require_at_least_one("feedback", self, "size", "rank_limit", "fewest")
        if not 0 <= self.least <= 1:
            raise SettingError(f"feedback.least is {self.least}: give a probability from 0 to 1")

    def extend(
        self, spaces: SpacePair, lexicon: IndexedLexicon, propose: Propose
    ) -> IndexedLexicon:
        """Return the given pairs followed by the added ones, the most probable first."""
        device = lexicon.source_ids.device
        words = torch.arange(min(self.rank_limit, len(spaces.source)), device=device)
        answer, chance = propose(words)
        order = chance.sort(descending=True, stable=True).indices
        order = order[chance[order] >= self.least]
        order = order[~torch.isin(order, lexicon.source_ids)]  # these have a translation
        order = order[_first_of_each(answer[order])][: self.size]
        if len(order) < min(self.fewest, len(words) // 10):
            return lexicon
        weights = chance[order].float().clamp(min=LEAST_WEIGHT)
        if self.weighting == "equal":
            weights = torch.ones_like(weights)
        return lexicon.followed_by(IndexedLexicon(words[order], answer[order], weights))


def _first_of_each(values: torch.Tensor) -> torch.Tensor:
    """Return, in order, where each distinct value comes first."""
    distinct, place = torch.unique(values, return_inverse=True)
    rows = torch.arange(len(values), device=values.device)
    first = rows.new_full((len(distinct),), len(values))
    return first.scatter_reduce(0, place, rows, "amin").sort().values
