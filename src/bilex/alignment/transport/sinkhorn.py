"""Entropic optimal transport with a prior: one solver for soft and for sharp plans.

    min over P of  <D, P> + ε·KL(P‖Γ)          (the prior Γ may be uniform)

is solved by P = diag(u) exp(L) diag(v) with the log kernel L = log Γ − D/ε. Sinkhorn's iterations
find u and v by fitting the two marginals in turn (Sinkhorn, 1967; Cuturi, 2013). An iteration is
two matrix–vector products with a kernel held in memory. The solver stores the potentials, the
logarithms of u and v. When a potential has changed so much that kernel entries could underflow, it
is computed again in the log domain and the kernel is rebuilt with it (Schmitzer, 2019). So the same
code is fast for soft plans and stable for sharp ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from bilex.errors import DimensionError, SettingError
from bilex.similarity.selection import padded_width
from bilex.values import Matrix, Vector

# exp(-88) underflows in float32; a lost share of exp(2·25 − 88) of a marginal does not matter.
_FARTHEST = 25.0
_LARGEST_MISMATCH = 1e-3
_ROWS_AT_ONCE = 1_024  # rows of a plan in one block


@dataclass(frozen=True, slots=True, eq=False)
class TransportPlan:
    """The mass that goes from each source word to each target word, and whether it converged.

    The plan is diag(source_scale) · kernel · diag(target_scale). Its rows can be read without a
    second matrix of that size.
    """

    kernel: Matrix  # (n, m)
    source_scale: Vector  # (n,)
    target_scale: Vector  # (m,)
    converged: bool
    n_iter: int
    error: float

    @property
    def dtype(self) -> torch.dtype:
        """Return the precision of products with this plan."""
        return self.kernel.dtype

    def matrix(self) -> Matrix:
        """Return the plan as a new matrix, (n, m)."""
        return (self.kernel * self.source_scale[:, None]).mul_(self.target_scale)

    def row_weights(self) -> Iterator[Matrix]:
        """Yield blocks of rows of the plan, each row up to a factor; the next block overwrites it.

        The padding columns at the end of a block are smaller than any weight.
        """
        m = self.kernel.shape[1]
        tile = self.kernel.new_full((_ROWS_AT_ONCE, padded_width(m)), -1.0)
        for rows in torch.split(self.kernel, _ROWS_AT_ONCE):
            torch.mul(rows, self.target_scale, out=tile[: len(rows), :m])
            yield tile[: len(rows)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sinkhorn:
    """Computes transport plans; the module docstring states the problem.

    Args:
        max_iterations: The largest number of iterations; `converged` of the plan is False if the
            tolerance was not reached.
        tolerance: Stop when `error`, the mass moved between targets in the last iteration, is at
            most this share of the total. With hard marginals, the target marginals are then wrong
            by at most this share in total, and the source marginals are exact.
        source_relaxation: None if each source must send exactly its mass; otherwise the price
            λ/ε of sending more or less, λ·KL(P1‖source_marginal) in the objective.
        target_relaxation: The same for the mass that each target receives. With both sides
            relaxed, nothing bounds the total mass, so a sharp kernel can make it overflow.
    """

    max_iterations: int = 1000
    tolerance: float = 1e-5
    source_relaxation: float | None = None
    target_relaxation: float | None = None

    def __post_init__(self) -> None:
        if self.max_iterations < 1:
            raise SettingError(f"sinkhorn.max_iterations is {self.max_iterations}: give 1 or more")
        if not self.tolerance >= 0:
            raise SettingError(f"sinkhorn.tolerance is {self.tolerance}: give 0 or more")
        for key in ("source_relaxation", "target_relaxation"):
            value = getattr(self, key)
            if value is not None and not value > 0:
                raise SettingError(
                    f"sinkhorn.{key} is {value}: give a number above 0, or leave it out"
                )

    def solve(
        self,
        log_kernel: Matrix,
        *,
        source_marginal: Vector | None = None,
        target_marginal: Vector | None = None,
        out: Matrix | None = None,
    ) -> TransportPlan:
        """Return the plan of this log kernel, with its `converged`, `n_iter` and `error`.

        Args:
            log_kernel: log Γ − D/ε, (n, m), finite; not modified.
            source_marginal: The mass of each source, positive; by default 1/n each.
            target_marginal: The mass of each target, positive; by default 1/m each.
            out: Memory for the kernel of the plan, of the shape of `log_kernel` but another
                tensor. It is the only matrix of that size that the solver needs, and the plan
                keeps it.

        Raises:
            DimensionError: If the shapes are inconsistent.
            SettingError: If a mass is not positive, or two hard marginals differ in total.
        """
        if log_kernel.ndim != 2 or not log_kernel.numel():
            raise DimensionError(
                f"log_kernel has shape {tuple(log_kernel.shape)}, expected two dimensions above 0"
            )
        log_source = _log_marginal("source", source_marginal, log_kernel.shape[0], log_kernel)
        log_target = _log_marginal("target", target_marginal, log_kernel.shape[1], log_kernel)
        if self.source_relaxation is None and self.target_relaxation is None:
            _check_totals(log_source, log_target)
        towards_source, towards_target = map(
            _exponent, (self.source_relaxation, self.target_relaxation)
        )
        scaling = _Scaling(log_kernel, log_source, out)
        scaling.update(0, log_source, towards_source)
        n_iter, error = 0, torch.inf
        while n_iter < self.max_iterations and not error <= self.tolerance:
            scaling.update(1, log_target, towards_target)
            error = float(scaling.update(0, log_source, towards_source))
            n_iter += 1
        return TransportPlan(
            scaling.kernel,
            scaling.scale(0),
            scaling.scale(1),
            converged=error <= self.tolerance,
            n_iter=n_iter,
            error=error,
        )


class _Scaling:
    """The potentials of both sides, and the kernel that is used to update them.

    The kernel is exp(log_kernel + anchors), where anchors are earlier potentials.
    """

    def __init__(self, log_kernel: Matrix, log_source: Vector, out: Matrix | None) -> None:
        self.kernel = torch.empty_like(log_kernel) if out is None else out
        if self.kernel.shape != log_kernel.shape or self.kernel is log_kernel:
            raise DimensionError("`out` must be a different matrix with the shape of `log_kernel`")
        self._log_kernel = log_kernel
        first = log_source - log_kernel.amax(dim=1).double()
        self._potentials = [first, first.new_zeros(log_kernel.shape[1])]
        self._anchor()

    def scale(self, side: int) -> Vector:
        """Return u (side 0) or v (side 1) relative to the kernel."""
        moved = self._potentials[side] - self._anchors[side]
        return moved.exp().to(self.kernel.dtype)

    def update(self, side: int, log_marginal: Vector, exponent: float) -> torch.Tensor:
        """Fit one marginal, only partly if `exponent` < 1; return how much mass that moved."""
        sums = (self.kernel.T if side else self.kernel) @ self.scale(1 - side)
        log_sums = sums.double().log() - self._anchors[side]
        before, after = self._potentials[side], exponent * (log_marginal - log_sums)
        if bool((after - self._anchors[side]).abs().amax() <= _FARTHEST):
            self._potentials[side] = after
        else:
            log_sums = self._log_sums(side)
            after = self._potentials[side] = exponent * (log_marginal - log_sums)
            self._anchor()
        return ((after + log_sums).exp() - (before + log_sums).exp()).abs().sum()

    def _log_sums(self, side: int) -> Vector:
        """Return the log sums of one side, computed in the log domain; overwrites the kernel."""
        other = self._potentials[1 - side].to(self.kernel.dtype)
        torch.add(self._log_kernel, other[:, None] if side else other, out=self.kernel)
        top = self.kernel.amax(dim=1 - side, keepdim=True)
        sums = self.kernel.sub_(top).exp_().sum(dim=1 - side)
        return top.squeeze(1 - side).double() + sums.double().log()

    def _anchor(self) -> None:
        self._anchors = tuple(self._potentials)
        source, target = (anchor.to(self.kernel.dtype) for anchor in self._anchors)
        torch.add(self._log_kernel, source[:, None], out=self.kernel)
        self.kernel.add_(target).exp_()


def _exponent(relaxation: float | None) -> float:
    return 1.0 if relaxation is None else relaxation / (relaxation + 1)


def _log_marginal(side: str, marginal: Vector | None, size: int, like: Matrix) -> Vector:
    if marginal is None:
        marginal = like.new_full((size,), 1 / size, dtype=torch.float64)
    if marginal.shape != (size,):
        raise DimensionError(
            f"{side}_marginal has shape {tuple(marginal.shape)}, expected ({size},)"
        )
    if not bool((marginal > 0).all()):
        raise SettingError(
            f"{side}_marginal has a mass that is not positive: leave out words without mass"
        )
    return marginal.to(like.device, torch.float64).log()


def _check_totals(log_source: Vector, log_target: Vector) -> None:
    source, target = float(log_source.exp().sum()), float(log_target.exp().sum())
    if abs(source - target) > _LARGEST_MISMATCH * max(source, target):
        raise SettingError(
            f"source_marginal sums to {source:.6g}, target_marginal to {target:.6g}: "
            "make them equal, or relax one side"
        )
