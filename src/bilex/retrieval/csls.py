"""Ranking by CSLS: cosine with a penalty for hubs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from bilex.config import require_at_least_one
from bilex.errors import DimensionError
from bilex.similarity import (
    Centers,
    SearchPool,
    csls_at,
    csls_topk,
    means_among,
    near_rows,
    neighborhood_means,
    two_pools,
)
from bilex.values import Compute, Matrix, Neighbors, Vector, unit_rows

_MEANS = ("source_means", "target_means")


@dataclass(frozen=True, slots=True, kw_only=True)
class Csls:
    """Rank by CSLS: cosine with a penalty for hubs (Conneau et al., 2018).

    The penalty of a word is its mean cosine to its nearest neighbors in the other language.

    Attributes:
        neighborhood: Number of nearest neighbors in the mean.
    """

    neighborhood: int = 10

    def __post_init__(self) -> None:
        require_at_least_one("retrieval", self, "neighborhood")

    def build(
        self,
        source: Matrix,
        target: Matrix,
        *,
        compute: Compute,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> CslsIndex:
        """Index both vocabularies; neighborhood means are computed when first needed."""
        index = CslsIndex(unit_rows(source), unit_rows(target), self.neighborhood, compute)
        if state is not None:
            self.check_state(state, len(source), len(target))
            for name in _MEANS:
                index.measured[name] = state[name].to(source)
        return index

    def check_state(self, state: Mapping[str, torch.Tensor], source: int, target: int) -> None:
        """Raise if saved means are missing or do not fit the numbers of words.

        Raises:
            KeyError, DimensionError: If so.
        """
        for name, size in zip(_MEANS, (source, target), strict=True):
            if state[name].shape != (size,):
                raise DimensionError(
                    f"tensor {name!r} has shape {tuple(state[name].shape)}, expected ({size},)"
                )

    def for_drafts(self) -> DraftCsls:
        """Return a faster, approximate retriever for the maps of cross-fitting."""
        return DraftCsls(self.neighborhood)


@dataclass(frozen=True, slots=True, eq=False)
class DraftCsls:
    """Ranks by CSLS under several similar maps of the same spaces, with approximate penalties.

    The nearest words under the first map are stored. Under later maps only these words count as
    neighbors, which takes almost no time. The neighborhood means are slightly too small: by 0.0002
    on average for maps trained on half of the seeds.

    If searches are approximate, words also stay in the cells that they have under the first map,
    and a few words are searched exactly.
    """

    neighborhood: int
    near: dict[str, torch.Tensor] = field(default_factory=dict)  # rows of the other side
    centers: list[Centers] = field(default_factory=list)  # one, or none if searches are exact

    def build(
        self,
        source: Matrix,
        target: Matrix,
        *,
        compute: Compute,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> CslsIndex:
        """Index both vocabularies and compute their neighborhood means."""
        rows = unit_rows(source), unit_rows(target)
        centers = self.centers[0].moved(*rows) if self.centers else None
        index = CslsIndex(*rows, self.neighborhood, compute, centers, draft=True)
        for side, other in (("source", "target"), ("target", "source")):
            own, others = index.rows(side), index.rows(other)
            if side not in self.near:
                self.near[side] = near_rows(own, index.pool(other), self.neighborhood)
            means = means_among(own, others, self.near[side], self.neighborhood)
            index.measured[f"{side}_means"] = means
        found = [pool.centers() for pool in index.pools.values() if pool.centers]
        self.centers[:] = [centers] if centers else found[:1]  # those of both pools are the same
        return index


@dataclass(frozen=True, slots=True, eq=False)
class CslsIndex:
    """Two aligned vocabularies with unit rows, and the neighborhood mean of each word."""

    source: Matrix
    target: Matrix
    neighborhood: int
    compute: Compute
    centers: Centers | None = None  # of cells, if they are known from a similar map
    draft: bool = False  # searches for a few words are exact, since that takes less time
    measured: dict[str, Vector] = field(default_factory=dict)
    pools: dict[str, SearchPool] = field(default_factory=dict)
    near: dict[str, Neighbors] = field(default_factory=dict)  # of an approximate search

    @property
    def forward(self) -> CslsSearch:
        """Return the index that finds target rows."""
        return CslsSearch(self, "source", "target")

    @property
    def backward(self) -> CslsSearch:
        """Return the index that finds source rows."""
        return CslsSearch(self, "target", "source")

    def state(self) -> dict[str, torch.Tensor]:
        """Return the neighborhood means of both vocabularies."""
        return {f"{side}_means": self.means(side) for side in ("source", "target")}

    def rows(self, side: str) -> Matrix:
        """Return the unit rows of "source" or "target"."""
        return self.source if side == "source" else self.target

    def means(self, side: str) -> Vector:
        """Return each word's mean cosine to its nearest neighbors in the other language."""
        name, other = f"{side}_means", "target" if side == "source" else "source"
        if name not in self.measured:
            rows, pool = self.rows(side), self.pool(other)
            if pool.is_approximate(self.neighborhood):
                self.near[side] = pool.near(rows, self.neighborhood)
            self.measured[name] = self.measure(rows, other, self.near.get(side))
        return self.measured[name]

    def measure(self, queries: Matrix, other: str, near: Neighbors | None = None) -> Vector:
        """Return the mean cosine of unit rows to their nearest neighbors in language `other`."""
        return neighborhood_means(queries, self.pool(other), self.neighborhood, near=near)

    def pool(self, side: str) -> SearchPool:
        """Return the rows of "source" or "target" as candidates.

        Only pools with cells are kept; others would keep copies of the vectors for little.
        """
        if self.pools:
            return self.pools[side]
        both = two_pools(
            self.source, self.target, self.compute, self.centers, few_exactly=self.draft
        )
        pools = dict(zip(("source", "target"), both, strict=True))
        if any(pool.is_approximate(self.neighborhood) for pool in both):
            self.pools.update(pools)
        return pools[side]

    def near_rows(self, side: str, rows: torch.Tensor, k: int) -> Neighbors | None:
        """Return what an approximate search for k neighbors has found near these rows, if any."""
        near = self.near.get(side)
        other = self.pool("target" if side == "source" else "source")
        if (
            near is None
            or not other.is_approximate(k)
            or near.ids.shape[1] < other.width_of_near(k)
        ):
            return None
        return Neighbors(near.ids[rows], near.scores[rows])


@dataclass(frozen=True, slots=True, eq=False)
class CslsSearch:
    """One direction of a `CslsIndex`."""

    index: CslsIndex
    queries_from: str
    candidates_from: str

    def search(self, queries: Matrix, *, k: int, rows: torch.Tensor | None = None) -> Neighbors:
        """Return the k candidates with the largest CSLS."""
        queries, near = unit_rows(queries), None
        if rows is None:
            query_means = self.index.measure(queries, self.candidates_from)
        else:
            query_means = self.index.means(self.queries_from)[rows]
            near = self.index.near_rows(self.queries_from, rows, k)
        return csls_topk(
            queries,
            self.index.pool(self.candidates_from),
            k,
            query_means=query_means,
            candidate_means=self.index.means(self.candidates_from),
            near=near,
        )

    def scores_at(self, queries: Matrix, ids: torch.Tensor, *, rows: torch.Tensor) -> Matrix:
        """Return the CSLS of each query with the candidates in its line of `ids`."""
        return csls_at(
            unit_rows(queries),
            self.index.rows(self.candidates_from),
            ids,
            query_means=self.index.means(self.queries_from)[rows],
            candidate_means=self.index.means(self.candidates_from),
        )
