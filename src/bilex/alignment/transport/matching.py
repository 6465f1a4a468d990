"""One matching of source with target words under a map: exactly as published, or quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import torch

from bilex.alignment.transport.cost import MatchingCost
from bilex.alignment.transport.rounding import Rounding, barycenters
from bilex.alignment.transport.sinkhorn import Sinkhorn, TransportPlan
from bilex.alignment.transport.sweeps import LogKernel, SweepingSinkhorn, SweptPlan
from bilex.protocols import BilinearPrior, Prior
from bilex.values import Matrix, SpacePair, Vector

_ROWS_AT_ONCE = 1_024  # of a prior whose weights are computed in blocks
_ENOUGH = 1e-2  # share of the mass that may be misplaced before a map notices


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingProblem:
    """What is matched with what, and how; see `WassersteinProcrustes` for the settings."""

    spaces: SpacePair
    source_pool: int
    target_pool: int
    batch: int
    epsilon: float
    cost: MatchingCost
    rounding: Rounding
    kept: int
    iterations: int
    tolerance: float
    relaxation: float | None  # on the scale of epsilon

    @property
    def source(self) -> Matrix:
        """Return the source words that may be matched."""
        return self.spaces.source.vectors[: self.source_pool]

    @property
    def target(self) -> Matrix:
        """Return the target words, all of them matched with."""
        return self.spaces.target.vectors[: self.target_pool]


class Match(NamedTuple):
    """Source words and what each is pulled towards."""

    source: Matrix  # (n, source_dim), before the map
    pulled: Matrix  # (n, target_dim)
    plan: TransportPlan | SweptPlan
    cost: Callable[[], float]  # what the plan costs on average; looked at only in the end


class Matching(Protocol):
    """Finds matches, one after another, under maps that change little in between."""

    def match(self, weight: Matrix, prior: Prior | None, rng: torch.Generator) -> Match:
        """Return the match of words under this map."""
        ...


class ExactMatching:
    """Match a random batch, with a float32 kernel in memory and nothing left from before."""

    def __init__(self, problem: MatchingProblem) -> None:
        self._problem = problem
        n = min(problem.batch, len(problem.source))
        self._memory = problem.source.new_empty(2, n, len(problem.target))
        self._solver = Sinkhorn(
            max_iterations=problem.iterations,
            tolerance=problem.tolerance,
            target_relaxation=problem.relaxation,
        )

    def match(self, weight: Matrix, prior: Prior | None, rng: torch.Generator) -> Match:
        """Return the match of a new batch under this map."""
        log_kernel, kernel = self._memory
        order = torch.randperm(len(self._problem.source), generator=rng, device=rng.device)
        drawn = order[: len(log_kernel)].to(weight.device)
        subproblem = _Subproblem(self._problem, weight, drawn)
        factors = subproblem.factors(prior)
        torch.mm(factors.rows, subproblem.columns.T, out=log_kernel)
        if factors.bias is not None:
            log_kernel += factors.bias
        if factors.more is not None:
            for first in range(0, len(drawn), _ROWS_AT_ONCE):
                block = slice(first, first + _ROWS_AT_ONCE)
                log_kernel[block] += factors.more(block)
        return subproblem.matched(self._solver.solve(log_kernel, out=kernel))


class FastMatching:
    """Match all words of the pool, without a matrix, from where the last match ended."""

    def __init__(self, problem: MatchingProblem) -> None:
        self._problem = problem
        self._solver = SweepingSinkhorn(
            max_iterations=problem.iterations,
            tolerance=max(problem.tolerance, _ENOUGH),
            target_relaxation=problem.relaxation,
        )
        self._potential: Vector | None = None

    def match(self, weight: Matrix, prior: Prior | None, rng: torch.Generator) -> Match:
        """Return the match of all words under this map; no chance is involved."""
        everyone = torch.arange(len(self._problem.source), device=weight.device)
        subproblem = _Subproblem(self._problem, weight, everyone)
        factors = subproblem.factors(prior)
        memory = self._problem.spaces.compute.memory
        kernel = LogKernel(
            factors.rows, subproblem.columns, bias=factors.bias, more=factors.more, memory=memory
        )
        plan = self._solver.solve(kernel, start=self._potential)
        # A plan that was cut short on purpose must not be finished by the next match.
        self._potential = plan.potential if plan.converged else None
        return subproblem.matched(plan)


class _Factors(NamedTuple):
    """log Γ − D/ε as rows · columnsᵀ + bias + more."""

    rows: Matrix
    bias: Vector | None = None
    more: Callable[[slice], Matrix] | None = None


class _Subproblem:
    """Some source words under a map: what they are matched with, and what comes of a plan."""

    def __init__(self, problem: MatchingProblem, weight: Matrix, ids: torch.Tensor) -> None:
        self._problem, self._ids = problem, ids
        mapped_pool = problem.source @ weight
        self._mapped = mapped_pool[ids]
        self._rows = problem.cost.source_factor(self._mapped)
        self.columns = problem.cost.target_factor(problem.target, mapped_pool)

    def factors(self, prior: Prior | None) -> _Factors:
        """Join the cost, −rows · columnsᵀ, with the prior."""
        ids, rows = self._ids, self._rows / self._problem.epsilon
        target_ids = torch.arange(len(self.columns), device=rows.device)
        if prior is None:
            return _Factors(rows)
        if isinstance(prior, BilinearPrior):  # both are inner products with the columns
            queries = prior.queries(ids)
            padding = self.columns.shape[1] - queries.shape[1]
            joined = rows + torch.nn.functional.pad(queries, (0, padding))
            return _Factors(joined, bias=prior.target_bias(target_ids))
        return _Factors(rows, more=lambda block: prior.log_weights(ids[block], target_ids))

    def matched(self, plan: TransportPlan | SweptPlan) -> Match:
        """Return the match that a plan amounts to."""
        problem = self._problem
        pulled = barycenters(plan, self.columns, rounding=problem.rounding, k=problem.kept)
        towards = pulled[:, : problem.target.shape[1]]
        return Match(problem.source[self._ids], towards, plan, partial(self._mean_cost, pulled))

    def _mean_cost(self, pulled: Matrix) -> float:
        terms = self._problem.cost.source_terms(self._mapped, self._problem.target)
        return float((terms - (self._rows * pulled).sum(dim=1)).mean())
