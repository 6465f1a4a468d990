"""Match source words with target words under a map: exactly as published, or faster."""

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

_ROWS_AT_ONCE = 1_024  # rows of a prior that are computed in one block
_UNLIMITED = 50  # iterations: fewer are a choice of the method, such as one in the published code
_ENOUGH = 1e-2  # a plan with at most this share of misplaced mass gives nearly the same map


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingProblem:
    """The words to match and the settings, which `WassersteinProcrustes` documents."""

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
        """Return the target words, all of which are matched."""
        return self.spaces.target.vectors[: self.target_pool]


class Match(NamedTuple):
    """Source words and the barycenter of the targets that each is matched with."""

    source: Matrix  # (n, source_dim), before the map
    pulled: Matrix  # (n, target_dim), the barycenters
    plan: TransportPlan | SweptPlan
    cost: Callable[[], float]  # computes the mean cost of the plan


class Matching(Protocol):
    """Computes a sequence of matches under maps that change little from one to the next."""

    def match(self, weight: Matrix, prior: Prior | None, rng: torch.Generator) -> Match:
        """Return the match of words under this map."""
        ...


class ExactMatching:
    """Match a random batch with a float32 kernel in memory; matches are independent."""

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
    """Match all words of the pool with a kernel in 16 bits, from the previous potentials."""

    def __init__(self, problem: MatchingProblem) -> None:
        self._problem = problem
        self._solver = SweepingSinkhorn(
            max_iterations=problem.iterations,
            tolerance=max(problem.tolerance, _ENOUGH),
            target_relaxation=problem.relaxation,
        )
        self._potential: Vector | None = None
        self._memory: Matrix | None = None

    def match(self, weight: Matrix, prior: Prior | None, rng: torch.Generator) -> Match:
        """Return the match of all words under this map; `rng` is not used."""
        all_rows = torch.arange(len(self._problem.source), device=weight.device)
        subproblem = _Subproblem(self._problem, weight, all_rows)
        factors = subproblem.factors(prior)
        memory = self._problem.spaces.compute.memory
        kernel = LogKernel(
            factors.rows, subproblem.columns, bias=factors.bias, more=factors.more, memory=memory
        )
        if self._memory is None:
            self._memory = self._solver.memory(kernel)
        plan = self._solver.solve(kernel, start=self._potential, out=self._memory)
        # If the iterations are limited on purpose, the next match must not continue this plan.
        goes_on = plan.converged or self._problem.iterations >= _UNLIMITED
        self._potential = plan.potential if goes_on else None
        return subproblem.matched(plan)


class _Factors(NamedTuple):
    """log Γ − D/ε as rows · columnsᵀ + bias + more."""

    rows: Matrix
    bias: Vector | None = None
    more: Callable[[slice], Matrix] | None = None


class _Subproblem:
    """The transport problem of some source words under a map, and the match of its plan."""

    def __init__(self, problem: MatchingProblem, weight: Matrix, ids: torch.Tensor) -> None:
        self._problem, self._ids = problem, ids
        mapped_pool = problem.source @ weight
        self._mapped = mapped_pool[ids]
        self._rows = problem.cost.source_factor(self._mapped)
        self.columns = problem.cost.target_factor(problem.target, mapped_pool)

    def factors(self, prior: Prior | None) -> _Factors:
        """Combine the cost, −rows · columnsᵀ, with the prior."""
        ids, rows = self._ids, self._rows / self._problem.epsilon
        target_ids = torch.arange(len(self.columns), device=rows.device)
        if prior is None:
            return _Factors(rows)
        if isinstance(prior, BilinearPrior):  # both are inner products with the columns
            queries = prior.queries(ids)
            padding = self.columns.shape[1] - queries.shape[1]
            joined = rows + torch.nn.functional.pad(queries, (0, padding))
            return _Factors(joined, bias=prior.target_bias(ids, target_ids))
        return _Factors(rows, more=lambda block: prior.log_weights(ids[block], target_ids))

    def matched(self, plan: TransportPlan | SweptPlan) -> Match:
        """Return the match of a plan."""
        problem = self._problem
        pulled = barycenters(plan, self.columns, rounding=problem.rounding, k=problem.kept)
        towards = pulled[:, : problem.target.shape[1]]
        return Match(problem.source[self._ids], towards, plan, partial(self._mean_cost, pulled))

    def _mean_cost(self, pulled: Matrix) -> float:
        terms = self._problem.cost.source_terms(self._mapped, self._problem.target)
        return float((terms - (self._rows * pulled).sum(dim=1)).mean())
