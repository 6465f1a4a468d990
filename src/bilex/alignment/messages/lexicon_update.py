"""Bi-directional lexicon update: pairs that both directions agree on (Zhao et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from bilex.config import require_at_least_one
from bilex.similarity import BothWays, approximate_csls, csls_topk, neighborhood_means
from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Matrix,
    Mode,
    Neighbors,
    SpacePair,
    Vector,
    unit_rows,
)

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
        search = self._exact if self.mode == "exact" else self._fast
        forward, backward = search(source, target, spaces.compute)
        best = forward.ids[:, 0]  # of each source word
        rows = torch.arange(len(source), device=best.device)
        mutual = (backward.ids[:, 0] == rows).nonzero().squeeze(1)
        credit = (_margin(forward) + _margin(backward))[mutual]
        order = credit.sort(descending=True, stable=True).indices
        source_ids = mutual[order]
        if spaces.reviewed is not None:
            source_ids = source_ids[~spaces.reviewed.rejects(source_ids, best[source_ids])]
        target_ids = best[source_ids]
        weights = torch.ones_like(source_ids, dtype=torch.float32)
        if self.weighting == "similarity":
            weights = (source[source_ids] * target[target_ids]).sum(1).clamp(min=LEAST_WEIGHT)
        return _append(lexicon, IndexedLexicon(source_ids, target_ids, weights), self.size)

    def _exact(self, source: Matrix, target: Matrix, compute: Compute) -> BothWays:
        """Return the nearest of each source word, and the nearest of its nearest."""
        around_source = neighborhood_means(source, target, self.neighborhood, compute=compute)
        around_target = neighborhood_means(target, source, self.neighborhood, compute=compute)
        forward = csls_topk(
            source,
            target,
            self.rivals + 1,
            query_means=around_source,
            candidate_means=around_target,
            compute=compute,
        )
        # Only targets that are the best of some source word can be mutual.
        chosen, place = torch.unique(forward.ids[:, 0], return_inverse=True)
        backward = csls_topk(
            target[chosen],
            source,
            self.rivals + 1,
            query_means=around_target[chosen],
            candidate_means=around_source,
            compute=compute,
        )
        return BothWays(forward, _of(backward, place))

    def _fast(self, source: Matrix, target: Matrix, compute: Compute) -> BothWays:
        """Return nearly the same as `_exact`, in less time."""
        found = approximate_csls(
            source, target, self.rivals + 1, neighborhood=self.neighborhood, compute=compute
        )
        return BothWays(found.forward, _of(found.backward, found.forward.ids[:, 0]))


def _of(neighbors: Neighbors, queries: torch.Tensor) -> Neighbors:
    return Neighbors(neighbors.ids[queries], neighbors.scores[queries])


def _margin(neighbors: Neighbors) -> Vector:
    """Return by how much the first neighbor beats the mean of the others; 0 without rivals."""
    first, others = neighbors.scores[:, 0], neighbors.scores[:, 1:]
    return first - others.mean(1) if others.shape[1] else torch.zeros_like(first)


def _append(lexicon: IndexedLexicon, found: IndexedLexicon, size: int) -> IndexedLexicon:
    """Append at most `size` pairs that are not given already."""
    width = 1 + max(int(p.target_ids.max()) if len(p) else 0 for p in (lexicon, found))
    known, numbers = (p.source_ids * width + p.target_ids for p in (lexicon, found))
    new = (~torch.isin(numbers, known)).nonzero().squeeze(1)
    return lexicon.followed_by(found.take(new[:size]))
