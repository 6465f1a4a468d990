"""Prior optimal transport: a supervised map becomes a prior over pairs (Zhao et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import torch

from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.similarity import neighborhood_means
from bilex.values import LinearMap, Matrix, SpacePair, Vector, unit_rows

Lengths = Literal["raw", "unit"]
"""Mapped source rows as the map leaves them, or scaled to length 1."""

DensityOver = Literal["pool", "batch"]
"""The frequent source words, or the source words of one transport problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CslsSoftmax:
    """The prior of a pair is a softmax of CSLS under a map: Γ = softmax over j of −C_ij / T.

    C_ij = −weight · x_i W·y_j + r(y_j), with r(y) the mean inner product of y with its nearest
    mapped source rows. The term r(x_i) of CSLS is the same for all j and cancels. Defaults are the
    formula that the paper prints, RCSLS(x_i W, y_j).

    Args:
        temperature: T; a lower one gives a sharper prior.
        neighborhood: The number of source words in the mean r(y).
        source_pool: Search them among this many of the most frequent source words.
        lengths: "raw" uses x W as it is, as the paper does. RCSLS does not keep lengths, and rows
            several times longer make the prior as many times sharper. "unit" scales x W to length
            1, so that the sharpness depends on the temperature alone.
        similarity_weight: 2 in CSLS; the published code uses 1.
        density_over: "batch" finds the source words of r(y) among those that are matched at the
            same time, as the published code does, instead of in the pool.
    """

    temperature: float = 0.1
    neighborhood: int = 10
    source_pool: int = 20_000
    lengths: Lengths = "raw"
    similarity_weight: float = 2.0
    density_over: DensityOver = "pool"

    def __post_init__(self) -> None:
        for key in ("temperature", "similarity_weight"):
            if not getattr(self, key) > 0:
                raise SettingError(f"prior.{key} is {getattr(self, key)}: give a number above 0")
        for key, choices in (("lengths", Lengths), ("density_over", DensityOver)):
            if getattr(self, key) not in get_args(choices):
                expected = " or ".join(get_args(choices))
                raise SettingError(f"prior.{key} is {getattr(self, key)!r}: give {expected}")
        require_at_least_one("prior", self, "neighborhood", "source_pool")

    def make_prior(self, spaces: SpacePair, mapping: LinearMap) -> CslsPrior:
        """Return the prior over word pairs that follows from this map."""
        return CslsPrior(self, spaces, mapping)


@dataclass(frozen=True, eq=False)
class CslsPrior:
    """The prior of one map, computed for the pairs that are requested.

    log Γ_ij = (weight · x_i W·y_j − r(y_j)) / T, up to a constant for each i.
    """

    message: CslsSoftmax
    spaces: SpacePair
    mapping: LinearMap
    _density: dict[str, Vector] = field(default_factory=dict)

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        """Return log Γ of these pairs, up to a constant for each row."""
        targets = self.spaces.target.vectors[target_ids]
        bias = self.target_bias(source_ids, target_ids)
        return torch.addmm(bias, self.queries(source_ids), targets.T)

    def queries(self, source_ids: torch.Tensor) -> Matrix:
        """Return rows whose inner product with a target row is log Γ without the bias."""
        message = self.message
        mapped = self._mapped(self.spaces.source.vectors[source_ids])
        return mapped * (message.similarity_weight / message.temperature)

    def target_bias(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Vector:
        """Return −r(y) / T of each target: hubs get a lower prior."""
        if self.message.density_over == "batch":
            batch = self.spaces.source.vectors[source_ids]
            density = self._mean_nearest(self.spaces.target.vectors[target_ids], batch)
            return -density / self.message.temperature
        wanted = int(target_ids.max()) + 1 if len(target_ids) else 0
        known = self._density.get("target")
        if known is None or len(known) < wanted:  # only as many as are requested
            pool = self.spaces.source.vectors[: self.message.source_pool]
            known = self._mean_nearest(self.spaces.target.vectors[:wanted], pool)
            self._density["target"] = known
        return -known[target_ids] / self.message.temperature

    def following(self, mapping: LinearMap) -> CslsPrior:
        """Return the prior of another map, by the same rule."""
        return CslsPrior(self.message, self.spaces, mapping)

    def _mapped(self, source: Matrix) -> Matrix:
        mapped = self.mapping.apply(source)
        return unit_rows(mapped) if self.message.lengths == "unit" else mapped

    def _mean_nearest(self, targets: Matrix, source: Matrix) -> Vector:
        k, compute = self.message.neighborhood, self.spaces.compute
        return neighborhood_means(targets, self._mapped(source), k, compute=compute)
