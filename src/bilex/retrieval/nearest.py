"""Ranking by cosine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from bilex.similarity import SearchPool, products_at, two_pools
from bilex.values import Compute, Matrix, Neighbors, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Rank by cosine, without a penalty for hubs."""

    def build(
        self,
        source: Matrix,
        target: Matrix,
        *,
        compute: Compute,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> NearestIndex:
        """Index both vocabularies; `state` is not used, because nothing is precomputed."""
        pools = two_pools(unit_rows(source), unit_rows(target), compute)
        return NearestIndex(forward=NearestSearch(pools[1]), backward=NearestSearch(pools[0]))


@dataclass(frozen=True, slots=True, eq=False)
class NearestIndex:
    """Two aligned vocabularies, searched by cosine."""

    forward: NearestSearch
    backward: NearestSearch

    def state(self) -> dict[str, torch.Tensor]:
        """Return an empty dictionary: nothing is precomputed."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class NearestSearch:
    """Candidates with unit rows, searched by cosine."""

    candidates: SearchPool

    def search(self, queries: Matrix, *, k: int, rows: torch.Tensor | None = None) -> Neighbors:
        """Return the k candidates with the largest cosine."""
        return self.candidates.topk(unit_rows(queries), k)

    def scores_at(self, queries: Matrix, ids: torch.Tensor, *, rows: torch.Tensor) -> Matrix:
        """Return the cosine of each query with the candidates in its line of `ids`."""
        return products_at(unit_rows(queries), self.candidates.candidates, ids)
