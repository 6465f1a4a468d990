"""Ranking by cosine alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from bilex.similarity import topk
from bilex.values import Compute, Matrix, Neighbors, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Rank by cosine: simple, and biased toward hubs."""

    def build(
        self,
        source: Matrix,
        target: Matrix,
        *,
        compute: Compute,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> NearestIndex:
        """Index both vocabularies; nothing is measured, so there is no state."""
        return NearestIndex(
            NearestSearch(unit_rows(target), compute), NearestSearch(unit_rows(source), compute)
        )


@dataclass(frozen=True, slots=True, eq=False)
class NearestIndex:
    """Two aligned vocabularies, searched by cosine."""

    forward: NearestSearch
    backward: NearestSearch

    def state(self) -> dict[str, torch.Tensor]:
        """Return nothing: cosine needs no measurement."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class NearestSearch:
    """Candidates with unit rows, searched by cosine."""

    candidates: Matrix
    compute: Compute

    def search(self, queries: Matrix, *, k: int, rows: torch.Tensor | None = None) -> Neighbors:
        """Return the k candidates with the largest cosine."""
        return topk(unit_rows(queries), self.candidates, k, compute=self.compute)
