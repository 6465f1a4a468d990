"""Feedback: train again on translations that the candidate model finds probable.

The candidate model uses information that the map does not have: spelling, frequency, a second map,
and the differences between candidates. So probable pairs improve the map more than its own nearest
neighbors.
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
    """A trained map, and a rotation learned from the same pairs, whose scores are features."""

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
    """Train both maps again on the seeds and on probable pairs.

    Returns:
        The new maps and the number of added pairs; the given maps and 0 if too few are probable.
    """
    pairs = feedback.extend(spaces, seeds, propose)
    added = len(pairs) - len(seeds)
    if not added:
        return maps, 0
    first = strategy.shortened(1).run(spaces, pairs, rng=rng)
    return Maps(first, Procrustes().fit_map(spaces, pairs, rng=rng)), added


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentPairs:
    """Add the most probable translation of each frequent word; each target word is added once.

    A translation that reviewers rejected is not added.

    Attributes:
        least: The smallest probability of an added pair.
        size: The largest number of added pairs; the most probable are added first.
        rank_limit: Add pairs for this many of the most frequent source words.
        fewest: Add nothing if there are fewer probable pairs than this, and fewer than 10 % of the
            source words in use: training on a few hundred pairs would make the map worse.
        weighting: The weight of an added pair: "equal" is 1, the weight of a seed; "probability"
            is the probability of the pair.
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
        order = order[~torch.isin(order, lexicon.source_ids)]  # seeds have a translation already
        if spaces.reviewed is not None:
            order = order[~spaces.reviewed.rejects(order, answer[order])]
        order = order[_first_of_each(answer[order])][: self.size]
        if len(order) < min(self.fewest, len(words) // 10):
            return lexicon
        weights = chance[order].float().clamp(min=LEAST_WEIGHT)
        if self.weighting == "equal":
            weights = torch.ones_like(weights)
        return lexicon.followed_by(IndexedLexicon(words[order], answer[order], weights))


def _first_of_each(values: torch.Tensor) -> torch.Tensor:
    """Return the positions of the first occurrence of each distinct value, in order."""
    distinct, place = torch.unique(values, return_inverse=True)
    rows = torch.arange(len(values), device=values.device)
    first = rows.new_full((len(distinct),), len(values))
    return first.scatter_reduce(0, place, rows, "amin").sort().values
