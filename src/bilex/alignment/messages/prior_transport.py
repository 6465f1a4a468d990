"""Prior optimal transport: a supervised map becomes a prior over pairs (Zhao et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.similarity import neighborhood_means
from bilex.values import LinearMap, Matrix, SpacePair, Vector, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class CslsSoftmax:
    """The prior of a pair is a softmax of CSLS under a map: Γ = softmax over j of −C_ij / T.

    C is the RCSLS cost of the paper, −CSLS, with the densities taken over the most frequent
    words of both languages.
    """

    temperature: float = 0.1
    neighborhood: int = 10
    source_pool: int = 20_000

    def __post_init__(self) -> None:
        if self.temperature <= 0:
            raise SettingError(f"prior.temperature is {self.temperature}: give a number above 0")
        require_at_least_one("prior", self, "neighborhood", "source_pool")

    def make_prior(self, spaces: SpacePair, mapping: LinearMap) -> CslsPrior:
        """Return the prior over word pairs that follows from this map."""
        return CslsPrior(self, spaces, mapping)


@dataclass(frozen=True, eq=False)
class CslsPrior:
    """The prior of one map, computed for the pairs that are requested.

    log Γ_ij = (2 cos(x_i W, y_j) − r(y_j)) / T, up to a constant for each i.
    """

    message: CslsSoftmax
    spaces: SpacePair
    mapping: LinearMap
    _density: dict[str, Vector] = field(default_factory=dict)

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        """Return log Γ of these pairs, up to a constant for each row."""
        targets = self.spaces.target.vectors[target_ids]
        return torch.addmm(self.target_bias(target_ids), self.queries(source_ids), targets.T)

    def queries(self, source_ids: torch.Tensor) -> Matrix:
        """Return rows whose inner product with a target row is log Γ without the bias."""
        mapped = unit_rows(self.mapping.apply(self.spaces.source.vectors[source_ids]))
        return mapped * (2 / self.message.temperature)

    def target_bias(self, target_ids: torch.Tensor) -> Vector:
        """Return −r(y) / T of each target: hubs get a lower prior."""
        wanted = int(target_ids.max()) + 1 if len(target_ids) else 0
        density = self._density.get("target")
        if density is None or len(density) < wanted:  # only as many as are requested
            density = self._density["target"] = self._target_density(wanted)
        return -density[target_ids] / self.message.temperature

    def _target_density(self, words: int) -> Vector:
        pool = unit_rows(self.mapping.apply(self.spaces.source.vectors[: self.message.source_pool]))
        targets = unit_rows(self.spaces.target.vectors[:words])
        k, compute = self.message.neighborhood, self.spaces.compute
        return neighborhood_means(targets, pool, k, compute=compute)

    def following(self, mapping: LinearMap) -> CslsPrior:
        """Return the prior of another map, by the same rule."""
        return CslsPrior(self.message, self.spaces, mapping)
