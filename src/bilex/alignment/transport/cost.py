"""The cost of matching a source word with a target word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from bilex.similarity import neighborhood_means
from bilex.values import Compute, Matrix, Vector

CostName = Literal["inner-product", "rcsls"]
"""−x·y, or the negative CSLS, −2·x·y + r(x) + r(y)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingCost:
    """The cost D of matching mapped source words with target words.

    Args:
        name: "inner-product" or "rcsls".
        neighborhood: Number of nearest words of the other language in the mean r.
        compute: The memory budget for computing r; it does not change the result.
    """

    name: CostName = "inner-product"
    neighborhood: int = 10
    compute: Compute | None = None

    def source_factor(self, mapped: Matrix) -> Matrix:
        """Return A of D = −A·Bᵀ + source_terms, (n, dim or dim + 1)."""
        if self.name == "inner-product":
            return mapped
        return torch.nn.functional.pad(2 * mapped, (0, 1), value=-1.0)

    def target_factor(self, target: Matrix, mapped_pool: Matrix) -> Matrix:
        """Return B of D = −A·Bᵀ + source_terms, (m, dim or dim + 1); r is taken over the pool."""
        if self.name == "inner-product":
            return target
        means = neighborhood_means(target, mapped_pool, self.neighborhood, compute=self.compute)
        return torch.cat([target, means[:, None]], dim=1)

    def source_terms(self, mapped: Matrix, target: Matrix) -> Vector:
        """Return the part of D that is the same for all targets, (n,); it does not change plans."""
        if self.name == "inner-product":
            return mapped.new_zeros(len(mapped))
        return neighborhood_means(mapped, target, self.neighborhood, compute=self.compute)
