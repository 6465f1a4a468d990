"""A first map by a convex relaxation of matching the similarities within each language."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.alignment.starts.similarities import on_common_scale
from bilex.alignment.transport import Sinkhorn
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.values import LinearMap, Matrix, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvexRelaxation:
    """Match words whose similarities to other words agree (Grave, Joulin & Berthet, 2019).

    A permutation P that matches words with their translations also matches the similarities within
    the two languages: K_X P = P K_Y with K_X = XXᵀ and K_Y = YYᵀ. Frank–Wolfe minimizes
    ‖K_X P − P K_Y‖² over the convex set of plans that contains the permutations. Each step moves P
    towards the plan that is best for the gradient, found by Sinkhorn. The map is the rotation
    nearest to XᵀPY.

    It works if the two spaces have nearly the same geometry: related languages, comparable
    corpora. It fails if the rows of the matched words sum exactly to zero.

    Args:
        words: How many of the most frequent words of each language to match; takes
            20·words² bytes.
        steps: Number of Frank–Wolfe steps.
        epsilon: Entropic smoothing of the plan of a step, relative to the largest entry of the
            gradient.
    """

    words: int = 2_000
    steps: int = 50
    epsilon: float = 0.01

    def __post_init__(self) -> None:
        require_at_least_one("start", self, "words", "steps")
        if not self.epsilon > 0:
            raise SettingError(f"start.epsilon is {self.epsilon}: give a number above 0")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the map of the relaxed matching; `rng` is not used."""
        x = on_common_scale(spaces.source.vectors[: self.words])  # (n, source_dim)
        y = on_common_scale(spaces.target.vectors[: self.words])  # (m, target_dim)
        plan = x.new_full((len(x), len(y)), 1 / len(x) / len(y))
        solver = Sinkhorn(max_iterations=100, tolerance=1e-2)
        mismatch = _mismatch(x, y, plan)
        first = mismatch.square().sum()
        for step in range(self.steps):
            gradient = _mismatch(x, y, mismatch)
            sharpness = self.epsilon * gradient.abs().amax().clamp(min=torch.finfo(x.dtype).tiny)
            towards = solver.solve(gradient.div_(-sharpness)).matrix()
            plan.lerp_(towards, 2 / (step + 2))
            mismatch = _mismatch(x, y, plan)
        report = {
            "start": "convex",
            "words": [len(x), len(y)],
            "mismatch_before": float(first),
            "mismatch": float(mismatch.square().sum()),
        }
        return LinearMap(nearest_semi_orthogonal(x.T @ plan @ y), report)


def _mismatch(x: Matrix, y: Matrix, plan: Matrix) -> Matrix:
    """Return K_X P − P K_Y without computing K; applied to a mismatch, half of the gradient."""
    return x @ (x.T @ plan) - (plan @ y) @ y.T
