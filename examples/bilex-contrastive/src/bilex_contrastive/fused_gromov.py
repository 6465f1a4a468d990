"""Fused Gromov–Wasserstein: match words by the map and by the company they keep."""

from __future__ import annotations

from dataclasses import dataclass

import ot  # type: ignore[import-untyped]
import torch
from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.errors import SettingError
from bilex.protocols import Prior
from bilex.values import LinearMap, SpacePair, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedGromov:
    """Rotate towards the plan P of fused Gromov–Wasserstein transport (Vayer et al., 2019).

    P minimizes (1 − `structure`)·<D, P> + `structure`·Σ (K_X[i,k] − K_Y[j,l])² P[i,j] P[k,l]
    over the `words` most frequent words of each language: D is −xW·y under the given map, less
    `epsilon` times the log of the prior; K_X and K_Y are the similarities within each language.
    The map is the rotation nearest to XᵀPY. Takes time proportional to words³.
    """

    words: int = 1_000
    structure: float = 0.5
    epsilon: float = 0.1
    iterations: int = 50

    def __post_init__(self) -> None:
        for name in ("words", "iterations"):
            if getattr(self, name) < 1:
                raise SettingError(f"unsupervised.{name} is {getattr(self, name)}: give 1 or more")
        if not 0 <= self.structure <= 1:
            raise SettingError(f"unsupervised.structure is {self.structure}: give 0 to 1")
        if not self.epsilon > 0:
            raise SettingError(f"unsupervised.epsilon is {self.epsilon}: give more than 0")

    def fit_map(
        self,
        spaces: SpacePair,
        *,
        rng: torch.Generator,
        start: LinearMap,
        prior: Prior | None = None,
    ) -> LinearMap:
        """Return the rotation of the best matching found; nothing is drawn from `rng`."""
        x = unit_rows(spaces.source.vectors[: self.words])  # (n, source_dim)
        y = unit_rows(spaces.target.vectors[: self.words])  # (m, target_dim)
        similarities = unit_rows(start.apply(x)) @ y.T
        cost = -similarities
        if prior is not None:
            ids = [torch.arange(len(rows), device=x.device) for rows in (x, y)]
            cost = cost - self.epsilon * prior.log_weights(ids[0], ids[1])
        plan = ot.gromov.fused_gromov_wasserstein(
            cost.double(),
            (x @ x.T).double(),
            (y @ y.T).double(),
            symmetric=True,
            alpha=self.structure,
            max_iter=self.iterations,
        ).float()  # (n, m), of mass 1
        report = {"step": "fused-gromov", "transport_cost": -float((plan * similarities).sum())}
        return LinearMap(nearest_semi_orthogonal(x.T @ plan @ y), report)
