"""Wasserstein–Procrustes: alternate between matching words by transport and rotating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.alignment.transport.cost import CostName, MatchingCost
from bilex.alignment.transport.matching import (
    ExactMatching,
    FastMatching,
    Matching,
    MatchingProblem,
)
from bilex.alignment.transport.rounding import Rounding
from bilex.errors import SettingError
from bilex.protocols import Prior
from bilex.values import LinearMap, Mode, SpacePair

_STRIDE = 20  # steps over batches that one step over all words replaces


@runtime_checkable
class FollowingPrior(Prior, Protocol):
    """A prior that can be computed again for another map."""

    def following(self, mapping: LinearMap) -> Prior:
        """Return the prior of `mapping`, computed in the same way."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WassersteinProcrustes:
    """Alternate between a transport plan P and a rotation W (Grave, Joulin & Berthet, 2019).

    A step samples source words X and solves min <D, P> + ε·KL(P‖Γ) against the most frequent
    target words Y. D is the cost of matching under W, and Γ is the prior. Then W moves along XᵀPY
    (each row of P scaled to mass 1) and is projected to the nearest rotation. The defaults are
    those of semi-supervised training with a prior (Zhao, Wang, Wu & Zhang, 2020). Without a prior,
    Γ is uniform and ε alone sets the sharpness of the plan: use about 0.05, because at 1 the plan
    is nearly the same for all words.

    Args:
        steps: Number of steps.
        batch: Source words per step, drawn without replacement; only for the mode "exact", where
            the default is 8,000.
        source_pool: Use this many of the most frequent source words.
        target_pool: Match with this many of the most frequent target words, all in each step.
        rate: Step size: the step is `rate` times the mean outer product of a word and its match.
        epsilon: Entropic strength: the weight of the prior relative to the cost.
        cost: "inner-product" is −xW·y. "rcsls" is −2·xW·y + r(xW) + r(y), where r is the mean
            similarity to the nearest words of the other pool (Alaux et al., 2018); it is a penalty
            for hubs. The cost affects the matching, not the step of W that follows.
        neighborhood: Number of nearest words in r; only for "rcsls", where the default is 10.
        rounding: The part of the plan that W follows: "soft" uses all of it, "top-k" the largest
            entries of each row, "one-hot" the largest entry.
        kept: Entries per row that "top-k" uses; only for "top-k", where the default is 10.
        prior_follows: "supervised" keeps the given prior; "current" computes it again from W after
            each step.
        sinkhorn_iterations: The largest number of Sinkhorn iterations for a plan. If it is
            reached, each source word is still fully matched, but some targets more than others.
        sinkhorn_tolerance: Stop when an iteration moves at most this share of the mass.
        target_relaxation: The price λ of unequal use of the target words, λ·KL(Pᵀ1‖uniform), on
            the scale of `epsilon`. If it is not set, all target words are used equally.
        mode: "exact" draws a batch for each step and holds its kernel in memory twice. "fast"
            covers the same total distance, `steps` times `rate`, in 5 % of the steps. Each of them
            matches the whole pool, starts from the potentials of the previous one, and keeps the
            kernel in 16 bits unless it is very large.
    """

    exact_only: ClassVar[tuple[str, ...]] = ("batch",)
    _name: ClassVar[str] = "wasserstein-procrustes"

    steps: int = 50
    batch: int | None = None
    source_pool: int = 20_000
    target_pool: int = 20_000
    rate: float = 500.0
    epsilon: float = 1.0
    cost: CostName = "inner-product"
    neighborhood: int | None = None
    rounding: Rounding = "soft"
    kept: int | None = None
    prior_follows: Literal["supervised", "current"] = "supervised"
    sinkhorn_iterations: int = 100
    sinkhorn_tolerance: float = 1e-4
    target_relaxation: float | None = None
    mode: Mode = "fast"

    def __post_init__(self) -> None:
        for key in ("steps", "source_pool", "target_pool", "sinkhorn_iterations"):
            _require(getattr(self, key) >= 1, key, getattr(self, key), "give 1 or more")
        for key in ("batch", "neighborhood", "kept"):
            value = getattr(self, key)
            _require(value is None or value >= 1, key, value, "give 1 or more")
        for key in ("rate", "epsilon"):
            _require(getattr(self, key) > 0, key, getattr(self, key), "give a number above 0")
        tolerance, relaxation = self.sinkhorn_tolerance, self.target_relaxation
        _require(tolerance >= 0, "sinkhorn_tolerance", tolerance, "give 0 or more")
        positive = relaxation is None or relaxation > 0
        _require(positive, "target_relaxation", relaxation, "give a number above 0")
        useless = "has no effect with"
        if self.batch is not None and self.mode != "exact":
            raise SettingError(f"unsupervised.batch {useless} mode = {self.mode!r}")
        if self.neighborhood is not None and self.cost != "rcsls":
            raise SettingError(f"unsupervised.neighborhood {useless} cost = {self.cost!r}")
        if self.kept is not None and self.rounding != "top-k":
            raise SettingError(f"unsupervised.kept {useless} rounding = {self.rounding!r}")

    def fit_map(
        self,
        spaces: SpacePair,
        *,
        rng: torch.Generator,
        start: LinearMap,
        prior: Prior | None = None,
    ) -> LinearMap:
        """Return the rotation after all steps, beginning at the rotation nearest to `start`.

        Raises:
            SettingError: If `prior_follows` is "current" and the prior has no method `following`.
        """
        self._check_prior(prior)
        problem = self._problem(spaces)
        matching: Matching
        matching = FastMatching(problem) if self.mode == "fast" else ExactMatching(problem)
        steps = self.steps if self.mode == "exact" else -(-self.steps // _STRIDE)
        rate = self.rate * self.steps / steps
        weight = nearest_semi_orthogonal(start.weight.to(problem.source))
        solved = 0
        for _ in range(steps):
            found = matching.match(weight, prior, rng)
            solved += found.plan.converged
            ascent = found.source.T @ found.pulled / len(found.source)  # XᵀPY
            weight = nearest_semi_orthogonal(weight + rate * ascent)
            if self.prior_follows == "current" and isinstance(prior, FollowingPrior):
                prior = prior.following(LinearMap(weight))
        report = {
            "step": self._name,
            "steps": steps,
            "transport_cost": found.cost(),
            "sinkhorn_converged": solved / steps,
            "sinkhorn_iterations": found.plan.n_iter,
            "sinkhorn_error": found.plan.error,
        }
        return LinearMap(weight, report)

    def _problem(self, spaces: SpacePair) -> MatchingProblem:
        relaxation = self.target_relaxation
        return MatchingProblem(
            spaces=spaces,
            source_pool=self.source_pool,
            target_pool=self.target_pool,
            batch=self.batch or 8_000,
            epsilon=self.epsilon,
            cost=MatchingCost(
                name=self.cost, neighborhood=self.neighborhood or 10, compute=spaces.compute
            ),
            rounding=self.rounding,
            kept=self.kept or 10,
            iterations=self.sinkhorn_iterations,
            tolerance=self.sinkhorn_tolerance,
            relaxation=None if relaxation is None else relaxation / self.epsilon,
        )

    def _check_prior(self, prior: Prior | None) -> None:
        if self.prior_follows == "current" and not isinstance(prior, FollowingPrior):
            name = type(prior).__name__
            what = "there is no prior" if prior is None else f"{name} has no method following()"
            raise SettingError(
                f"unsupervised.prior_follows is 'current' but {what}: leave the setting out, or "
                "use a prior with a method following(mapping)"
            )


def _require(holds: bool, key: str, value: object, expected: str) -> None:
    if not holds:
        raise SettingError(f"unsupervised.{key} is {value}: {expected}")
