"""A first map by Gromov–Wasserstein matching of the similarities within each language."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.alignment.starts.similarities import on_common_scale
from bilex.alignment.transport import Sinkhorn, barycenters
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.values import LinearMap, SpacePair

_CONVERGED = 1e-5  # change of the moment between two iterations


@dataclass(frozen=True, slots=True, kw_only=True)
class GromovWasserstein:
    """Match words by Gromov–Wasserstein transport (Alvarez-Melis & Jaakkola, 2018).

    Words are matched so that their similarities to other words agree. The plan P minimizes
    Σ (K_X[i,k] − K_Y[j,l])² P[i,j] P[k,l] with K_X = XXᵀ and K_Y = YYᵀ and entropic smoothing ε, by
    a sequence of transport problems (Peyré, Cuturi & Solomon, 2016). Similarities are inner
    products, so a problem depends on the previous plan only through XᵀPY; the map is the nearest
    rotation. In contrast to the convex start, there are many local minima and the plan can be
    sharp.

    Args:
        words: How many of the most frequent words of each language to match; takes
            8·words² bytes.
        epsilon: Entropic smoothing, for similarities with a root mean square of 1.
        iterations: The largest number of transport problems to solve.
    """

    words: int = 2_000
    epsilon: float = 0.1
    iterations: int = 100

    def __post_init__(self) -> None:
        require_at_least_one("start", self, "words", "iterations")
        if not self.epsilon > 0:
            raise SettingError(f"start.epsilon is {self.epsilon}: give a number above 0")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the map of the matching; `rng` is not used."""
        x = on_common_scale(spaces.source.vectors[: self.words])  # (n, source_dim)
        y = on_common_scale(spaces.target.vectors[: self.words])  # (m, target_dim)
        solver = Sinkhorn(max_iterations=200, tolerance=1e-4)
        log_kernel, kernel = x.new_empty(2, len(x), len(y))
        moment = torch.outer(x.mean(dim=0), y.mean(dim=0))  # XᵀPY of the uniform plan
        n_iter, moved = 0, torch.inf
        while n_iter < self.iterations and moved > _CONVERGED:
            torch.mm(x @ moment, y.T, out=log_kernel).mul_(4 / self.epsilon)
            plan = solver.solve(log_kernel, out=kernel)
            before, moment = moment, x.T @ barycenters(plan, y) / len(x)
            moved = float(torch.linalg.matrix_norm(moment - before))
            n_iter += 1
        report = {
            "start": "gromov",
            "words": [len(x), len(y)],
            "iterations": n_iter,
            "converged": moved <= _CONVERGED,
            "distance": 2 - 2 * float(moment.square().sum()),
        }
        return LinearMap(nearest_semi_orthogonal(moment), report)
