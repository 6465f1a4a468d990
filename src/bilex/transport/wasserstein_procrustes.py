"""Wasserstein–Procrustes: match words by transport, rotate towards the match, repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import torch

from bilex.errors import SettingError
from bilex.orthogonal import nearest_semi_orthogonal
from bilex.protocols import BilinearPrior, Prior
from bilex.transport.cost import CostName, MatchingCost
from bilex.transport.rounding import Rounding, barycenters
from bilex.transport.sinkhorn import Sinkhorn
from bilex.values import LinearMap, Matrix, SpacePair

_ROWS_AT_ONCE = 1_024  # of the log kernel, so that a prior is never asked for all of it


@runtime_checkable
class FollowingPrior(Prior, Protocol):
    """A prior that can be made anew from another map."""

    def following(self, mapping: LinearMap) -> Prior:
        """Return the belief that `mapping` amounts to, made in the same way."""
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
        batch: Source words of a step, drawn without replacement.
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
    """

    _name: ClassVar[str] = "wasserstein-procrustes"

    steps: int = 50
    batch: int = 8_000
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

    def __post_init__(self) -> None:
        for key in ("steps", "batch", "source_pool", "target_pool", "sinkhorn_iterations"):
            _require(getattr(self, key) >= 1, key, getattr(self, key), "give 1 or more")
        for key in ("neighborhood", "kept"):
            value = getattr(self, key)
            _require(value is None or value >= 1, key, value, "give 1 or more")
        for key in ("rate", "epsilon"):
            _require(getattr(self, key) > 0, key, getattr(self, key), "give more than 0")
        tolerance, relaxation = self.sinkhorn_tolerance, self.target_relaxation
        _require(tolerance >= 0, "sinkhorn_tolerance", tolerance, "give 0 or more")
        positive = relaxation is None or relaxation > 0
        _require(positive, "target_relaxation", relaxation, "give more than 0")
        useless = "has no effect with"
        if self.neighborhood is not None and self.cost != "rcsls":
            raise SettingError(f"unsupervised.neighborhood {useless} cost = {self.cost!r}")
        if self.kept is not None and self.rounding != "top-k":
            raise SettingError(f"unsupervised.kept {useless} rounding = {self.rounding!r}")

    def fit_map(
        self,
        pair: SpacePair,
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
        pool = pair.source.vectors[: self.source_pool]  # (n_pool, source_dim)
        target = pair.target.vectors[: self.target_pool]  # (m, target_dim)
        cost = MatchingCost(name=self.cost, neighborhood=self.neighborhood or 10)
        solver = self._solver()
        n = min(self.batch, len(pool))
        log_kernel, kernel = pool.new_empty(2, n, len(target))
        weight = nearest_semi_orthogonal(start.weight.to(pool))
        solved = 0
        for _ in range(self.steps):
            drawn = torch.randperm(len(pool), generator=rng, device=rng.device)[:n].to(pool.device)
            mapped_pool = pool @ weight
            rows = cost.source_factor(mapped_pool[drawn])
            columns = cost.target_factor(target, mapped_pool)
            _fill(log_kernel, rows / self.epsilon, columns, drawn, prior)
            plan = solver.solve(log_kernel, out=kernel)
            solved += plan.converged
            pulled = barycenters(plan, columns, rounding=self.rounding, k=self.kept or 10)
            ascent = pool[drawn].T @ pulled[:, : target.shape[1]]  # XᵀPY
            weight = nearest_semi_orthogonal(weight + self.rate / n * ascent)
            if self.prior_follows == "current" and isinstance(prior, FollowingPrior):
                prior = prior.following(LinearMap(weight))
        costs = cost.source_terms(mapped_pool[drawn], target) - (rows * pulled).sum(dim=1)
        report = {
            "step": self._name,
            "steps": self.steps,
            "transport_cost": float(costs.mean()),
            "sinkhorn_converged": solved / self.steps,
            "sinkhorn_iterations": plan.n_iter,
            "sinkhorn_error": plan.error,
        }
        return LinearMap(weight, report)

    def _solver(self) -> Sinkhorn:
        relaxation = self.target_relaxation
        return Sinkhorn(
            max_iterations=self.sinkhorn_iterations,
            tolerance=self.sinkhorn_tolerance,
            target_relaxation=None if relaxation is None else relaxation / self.epsilon,
        )

    def _check_prior(self, prior: Prior | None) -> None:
        if self.prior_follows == "current" and not isinstance(prior, FollowingPrior):
            what = "there is no prior" if prior is None else f"{type(prior).__name__} cannot"
            raise SettingError(
                f"unsupervised.prior_follows is 'current' but {what}: leave the setting out, or "
                "give a prior with a method following(mapping)"
            )


def _fill(
    log_kernel: Matrix, rows: Matrix, columns: Matrix, drawn: torch.Tensor, prior: Prior | None
) -> None:
    """Write log Γ − D/ε into `log_kernel`, (n, m)."""
    target_ids = torch.arange(len(columns), device=columns.device)
    if isinstance(prior, BilinearPrior):  # both are inner products with the columns: one product
        queries = prior.queries(drawn)
        padding = columns.shape[1] - queries.shape[1]
        rows = rows + torch.nn.functional.pad(queries, (0, padding))
        torch.addmm(prior.target_bias(target_ids), rows, columns.T, out=log_kernel)
        return
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        block = slice(first, first + _ROWS_AT_ONCE)
        if prior is None:
            torch.mm(rows[block], columns.T, out=log_kernel[block])
        else:
            log_prior = prior.log_weights(drawn[block], target_ids)
            torch.addmm(log_prior, rows[block], columns.T, out=log_kernel[block])


def _require(holds: bool, key: str, value: object, expected: str) -> None:
    if not holds:
        raise SettingError(f"unsupervised.{key} is {value}: {expected}")
