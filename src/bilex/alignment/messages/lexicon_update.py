"""Bi-directional lexicon update: pairs that both directions agree on (Zhao et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from bilex.config import require_at_least_one
from bilex.similarity import mutual_nearest
from bilex.values import IndexedLexicon, LinearMap, Mode, SpacePair, unit_rows

LEAST_WEIGHT = 0.01
"""The smallest weight of an added pair. It is above 0, because a step may see only such pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutualPairs:
    """Add the mutual nearest pairs that stand out most from their rivals.

    1. Distances are −CSLS, forward and backward, over the `rank_limit` most frequent words.
    2. Candidates are the pairs in which each word is the other's nearest.
    3. The credit of a pair is how much nearer it is than the next `rivals`, on average, summed
       over both directions.
    4. The `size` pairs of highest credit are appended to the given ones, which always stay.
       Pairs that reviewers rejected are never appended.

    Attributes:
        size: The largest number of added pairs.
        rivals: The number of next nearest words that the credit compares with.
        rank_limit: Search among this many of the most frequent words of each language.
        neighborhood: The number of nearest neighbors in CSLS.
        weighting: The weight of an added pair: "equal" is 1, the weight of a seed; "similarity" is
            its cosine, so that doubtful pairs count less.
        mode: "fast" searches the nearest by CSLS among the 32 nearest by cosine, which takes
            half the time.
    """

    size: int = 10_000
    rivals: int = 1
    rank_limit: int = 20_000
    neighborhood: int = 10
    weighting: Literal["equal", "similarity"] = "equal"
    mode: Mode = "exact"

    def __post_init__(self) -> None:
        names = ("size", "rivals", "rank_limit", "neighborhood")
        require_at_least_one("lexicon_update", self, *names)

    def extend(
        self, spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon
    ) -> IndexedLexicon:
        """Return the given pairs followed by the added ones, highest credit first."""
        source = unit_rows(mapping.apply(spaces.source.vectors[: self.rank_limit]))
        target = unit_rows(spaces.target.vectors[: self.rank_limit])
        found = mutual_nearest(
            source,
            target,
            rivals=self.rivals,
            neighborhood=self.neighborhood,
            exact=self.mode == "exact",
            compute=spaces.compute,
        )
        source_ids, target_ids = found.source_ids, found.target_ids
        if spaces.reviewed is not None:
            kept = ~spaces.reviewed.rejects(source_ids, target_ids)
            source_ids, target_ids = source_ids[kept], target_ids[kept]
        weights = torch.ones_like(source_ids, dtype=torch.float32)
        if self.weighting == "similarity":
            weights = (source[source_ids] * target[target_ids]).sum(1).clamp(min=LEAST_WEIGHT)
        return _append(lexicon, IndexedLexicon(source_ids, target_ids, weights), self.size)


def _append(lexicon: IndexedLexicon, found: IndexedLexicon, size: int) -> IndexedLexicon:
    """Append at most `size` pairs that are not given already."""
    width = 1 + max(int(p.target_ids.max()) if len(p) else 0 for p in (lexicon, found))
    known, numbers = (p.source_ids * width + p.target_ids for p in (lexicon, found))
    new = (~torch.isin(numbers, known)).nonzero().squeeze(1)
    return lexicon.followed_by(found.take(new[:size]))
