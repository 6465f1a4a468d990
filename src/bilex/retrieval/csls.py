"""Ranking by CSLS: cosine, corrected for hubs."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.bounds import require_at_least_one
from bilex.similarity import csls_topk, neighborhood_means
from bilex.values import Compute, Matrix, Neighbors, Vector, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Csls:
    """Rank candidates by cosine minus how near they are to everything (Conneau et al., 2018)."""

    neighborhood: int = 10

    def __post_init__(self) -> None:
        require_at_least_one("retrieval", self, "neighborhood")

    def build(
        self,
        candidates: Matrix,
        queries: Matrix,
        *,
        compute: Compute,
        penalties: Vector | None = None,
    ) -> CslsIndex:
        """Index the candidates, measuring against all queries how much of a hub each one is."""
        candidates = unit_rows(candidates)
        if penalties is None:
            penalties = neighborhood_means(
                candidates, unit_rows(queries), self.neighborhood, compute=compute
            )
        return CslsIndex(candidates, penalties, self.neighborhood, compute)


@dataclass(frozen=True, slots=True, eq=False)
class CslsIndex:
    """Candidates and their neighborhood means, ready to be searched."""

    candidates: Matrix
    penalties: Vector  # r of each candidate
    neighborhood: int
    compute: Compute

    def search(
        self, queries: Matrix, *, k: int, query_penalties: Vector | None = None
    ) -> Neighbors:
        """Return the k candidates with the largest CSLS."""
        queries = unit_rows(queries)
        if query_penalties is None:
            query_penalties = neighborhood_means(
                queries, self.candidates, self.neighborhood, compute=self.compute
            )
        return csls_topk(
            queries,
            self.candidates,
            k,
            query_means=query_penalties,
            candidate_means=self.penalties,
            compute=self.compute,
        )
