"""Wasserstein–Procrustes: match words by transport, rotate towards the match, repeat."""

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

_STRIDE = 20  # steps over batches that one step over all words can stand for


@runtime_checkable
class FollowingPrior(Prior, Protocol):
    """A prior that can be made anew from another map."""

    def following(self, mapping: LinearMap) -> Prior:
        """Return the prior that follows from `mapping`, made in the same way."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WassersteinProcrustes:
    """Alternate between a transport plan P and a rotation W (Grave, Joulin & Berthet, 2019).

    A step samples source words X, solves min <D, P> + ε·KL(P‖Γ) against the most frequent
    target words Y, where D is the cost of matching under W and Γ the prior, and moves W along
    XᵀPY, the rows of P having mass 1, onto the nearest rotation. The defaults are those of
    semi-supervised training with a prior (Zhao, Wang, Wu & Zhang, 2020). Without a prior Γ is
    flat and ε alone decides how sharp the plan is: take about 0.05, for at 1 a soft plan is
    nearly the same for all words and says nothing.

    Args:
        steps: How many steps to take.
        batch: Source words of a step, drawn without replacement; 8,000 unless given, for the
            mode "exact" only.
        source_pool: Draw among so many of the most frequent source words.
        target_pool: Match with so many of the most frequent target words, all in each step.
        rate: The step is `rate` times the mean of the outer products of a word and its match.
        epsilon: How much the prior counts against the cost of the current map.
        cost: "inner-product", −xW·y, or "rcsls", −2·xW·y + r(xW) + r(y) with the mean
            similarities r to the nearest words of the other pool (Alaux et al., 2018), which
            keeps hubs from being everyone's match. It decides who is matched, not what W does
            about it.
        neighborhood: How many words make up r; 10 unless given, for "rcsls" only.
        rounding: What of the plan W follows: "soft" all of it, "top-k" the largest entries of
            each row, "one-hot" the largest one.
        kept: How many entries "top-k" keeps; 10 unless given, for "top-k" only.
        prior_follows: "supervised" keeps the prior as given; "current" makes it anew from W
            after each step, as far as the prior can.
        sinkhorn_iterations: At most so many for a plan. A plan cut short still matches each
            source word fully, but some targets more than others.
        sinkhorn_tolerance: Stop earlier once no more than this share of the mass moves.
        target_relaxation: None if every target word must be used as much as any other;
            otherwise the price λ of not doing so, λ·KL(Pᵀ1‖uniform), on the scale of `epsilon`.
        mode: "exact" takes each step with a batch of its own and holds its kernel in memory
            twice. "fast" goes as far, `steps` times `rate`, in a twentieth of the steps: each
            matches the whole pool, so there is no chance to average out, and begins with the
            potentials of the one before; no kernel is held.
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
            _require(getattr(self, key) > 0, key, getattr(self, key), "give more than 0")
        tolerance, relaxation = self.sinkhorn_tolerance, self.target_relaxation
        _require(tolerance >= 0, "sinkhorn_tolerance", tolerance, "give 0 or more")
        positive = relaxation is None or relaxation > 0
        _require(positive, "target_relaxation", relaxation, "give more than 0")
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
        """Return the rotation reached from the one nearest to `start`.

        Raises:
            SettingError: If `prior_follows` is "current" and the prior cannot follow.
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
            what = "there is no prior" if prior is None else f"{type(prior).__name__} cannot"
            raise SettingError(
                f"unsupervised.prior_follows is 'current' but {what}: leave the setting out, or "
                "give a prior with a method following(mapping)"
            )


def _require(holds: bool, key: str, value: object, expected: str) -> None:
    if not holds:
        raise SettingError(f"unsupervised.{key} is {value}: {expected}")
