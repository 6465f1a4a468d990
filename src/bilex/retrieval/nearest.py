"""Ranking by cosine alone."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.similarity import topk
from bilex.values import Compute, Matrix, Neighbors, Vector, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Rank candidates by cosine: simple, and drawn to hubs."""

    def build(
        self,
        candidates: Matrix,
        queries: Matrix,
        *,
        compute: Compute,
        penalties: Vector | None = None,
    ) -> NearestIndex:
        """Index the candidates; the other side plays no part and nothing is penalized."""
        return NearestIndex(unit_rows(candidates), compute)


@dataclass(frozen=True, slots=True, eq=False)
class NearestIndex:
    """Candidates ready to be searched by cosine."""

    candidates: Matrix
    compute: Compute

    @property
    def penalties(self) -> Vector:
        """Return zeros: cosine penalizes nobody."""
        return self.candidates.new_zeros(len(self.candidates))

    def search(
        self, queries: Matrix, *, k: int, query_penalties: Vector | None = None
    ) -> Neighbors:
        """Return the k candidates with the largest cosine; nothing is penalized."""
        return topk(unit_rows(queries), self.candidates, k, compute=self.compute)
