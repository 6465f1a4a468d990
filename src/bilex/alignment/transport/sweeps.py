"""Optimal transport with kernels of any size, computed block by block.

The same problem as in `bilex.alignment.transport.sinkhorn`, for hard source marginals. All
computations are in the log domain. The plan of a block is the exponential of its log kernel plus
the potentials of the targets, with each row divided by its sum. The sum over all blocks is the mass
that each target receives. An iteration is one such sweep. Soft and sharp plans are both stable.

The first sweep keeps its weights, in 16 bits, so that the next ones take two products of a matrix
and a vector instead of a product of two matrices. When potentials have moved far, the weights are
computed again. Those of a kernel that is too large to keep are computed in every sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from bilex.errors import SettingError
from bilex.similarity import fast_bfloat16
from bilex.similarity.products import BFLOAT16_STEP
from bilex.similarity.selection import padded_width
from bilex.values import Matrix, Vector

_ROWS_AT_ONCE = 256  # so that a block stays in the CPU cache
_ROUNDING_PAYS_FROM = 2**20  # entries of a kernel; smaller ones gain nothing from bfloat16
_SAFE_TO_ROUND = 64.0  # largest logarithm in a kernel that bfloat16 represents well enough
_PLAIN_STEPS = 10  # before steps become longer; soft kernels need no more
_LONG_STEP = 1.7
_EMPTY = -1.0  # padding of a block; smaller than any weight
_SMALLEST = -60.0  # logarithm of the smallest weight: less is nothing, and slow to compute
_KEPT_UP_TO = 2**29  # entries of a kernel whose weights are kept: 1 GiB if rounded
_SAFE_TOLERANCE = 5e-3  # rounded weights put up to half of this mass at the wrong target
_FARTHEST = 30.0  # that potentials may move before kept weights are computed again


class LogKernel:
    """The log kernel log Γ − D/ε as rows · columnsᵀ + bias + more, one block at a time.

    Args:
        rows: The left factor, (n, dim).
        columns: The right factor, (m, dim).
        bias: Added to each column, (m,).
        more: Returns a matrix to add to a block of rows, (len(block), m).
        memory: Bytes that blocks may take.
    """

    def __init__(
        self,
        rows: Matrix,
        columns: Matrix,
        *,
        bias: Vector | None = None,
        more: Callable[[slice], Matrix] | None = None,
        memory: int = 512 * 2**20,
    ) -> None:
        self.shape = (len(rows), len(columns))
        rounded = (
            len(rows) * len(columns) >= _ROUNDING_PAYS_FROM
            and fast_bfloat16(rows.device)
            and float(rows.norm(dim=1).max() * columns.norm(dim=1).max()) <= _SAFE_TO_ROUND
        )
        self.dtype = torch.bfloat16 if rounded else rows.dtype
        self._bias = rows.new_zeros(len(columns)) if bias is None else bias
        self._more = more
        self._dim = rows.shape[1]
        if rounded:  # the bias becomes two more coordinates: its rounded value and the remainder
            blank = -(self._dim + 2) % BFLOAT16_STEP
            rows = torch.nn.functional.pad(rows.bfloat16(), (0, 2), value=1.0)
            rows = torch.nn.functional.pad(rows, (0, blank))
            columns = torch.nn.functional.pad(columns.bfloat16(), (0, 2 + blank))
        self._rows, self._columns = rows, columns.T.contiguous()
        width = padded_width(len(columns))
        size = max(1, min(_ROWS_AT_ONCE, len(rows), memory // (8 * width)))
        self.tile = self._bias.new_full((size, width), _EMPTY)
        self._product = rows.new_empty(size, len(columns)) if rounded else None

    def level(self) -> Vector:
        """Return zero potentials, (m,)."""
        return torch.zeros_like(self._bias)

    def row_weights(self, potential: Vector) -> Iterator[Matrix]:
        """Yield blocks of exp(log kernel + potential), each row divided by its largest entry.

        A block is (n_rows, m plus padding); the padding is smaller than any weight. The next block
        overwrites it.
        """
        n, m = self.shape
        bias = self._bias + potential
        if self._product is not None:
            high = bias.bfloat16()
            self._columns[self._dim], self._columns[self._dim + 1] = high, bias - high
        for first in range(0, n, len(self.tile)):
            block = slice(first, min(first + len(self.tile), n))
            count = block.stop - first
            tile = self.tile[:count, :m]
            if self._product is None:
                torch.addmm(bias, self._rows[block], self._columns, out=tile)
            else:
                torch.mm(self._rows[block], self._columns, out=self._product[:count])
                tile.copy_(self._product[:count])
            if self._more is not None:
                tile += self._more(block)
            tile.sub_(tile.amax(dim=1, keepdim=True)).clamp_(min=_SMALLEST).exp_()
            yield self.tile[:count]


class KeptWeights:
    """The weights of a kernel at one potential, from which those at nearby potentials follow."""

    def __init__(self, kernel: LogKernel, potential: Vector, out: Matrix) -> None:
        self._at, self._weights, self._tile = potential, out, kernel.tile
        first = 0
        for weights in kernel.row_weights(potential):
            out[first : first + len(weights)] = weights[:, : out.shape[1]]
            first += len(weights)

    def distance(self, potential: Vector) -> Vector:
        """Return how far a potential is from the one that these weights belong to, a scalar."""
        change = potential - self._at
        return change.max() - change.min()

    def received(self, potential: Vector) -> Vector:
        """Return the mass of each target when every source sends its share."""
        factor, dtype = self._factor(potential), self._weights.dtype
        sent = (self._weights @ factor.to(dtype)).to(factor.dtype)  # (n,)
        shares = (1 / (len(sent) * sent)).to(dtype)
        return (self._weights.T @ shares).to(factor.dtype) * factor

    def row_weights(self, potential: Vector) -> Iterator[Matrix]:
        """Yield what `LogKernel.row_weights` does, but for a factor of each row."""
        factor = self._factor(potential)
        for weights in torch.split(self._weights, len(self._tile)):
            tile = self._tile[: len(weights)]
            torch.mul(weights, factor, out=tile[:, : len(factor)])
            yield tile

    def _factor(self, potential: Vector) -> Vector:
        change = potential - self._at
        return (change - change.max()).exp_()


@dataclass(frozen=True, slots=True, eq=False)
class SweptPlan:
    """A transport plan, stored as its kernel and the potentials of the targets; rows sum to 1/n.

    Weights that are kept are in the memory that was given to the solver.
    """

    kernel: LogKernel
    potential: Vector  # (m,)
    kept: KeptWeights | None
    converged: bool
    n_iter: int
    error: float

    @property
    def dtype(self) -> torch.dtype:
        """Return the precision of products with this plan."""
        return self.kernel.dtype

    def row_weights(self) -> Iterator[Matrix]:
        """Return blocks of rows of the plan, each row up to a factor, as `LogKernel` does."""
        return (self.kept or self.kernel).row_weights(self.potential)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepingSinkhorn:
    """Computes plans from kernels that are computed in blocks; marginals are uniform.

    Args:
        max_iterations: The largest number of iterations; `converged` of the plan is False if the
            tolerance was not reached.
        tolerance: Stop when at most this share of the mass is at the wrong target.
        target_relaxation: None if each target must receive its share; otherwise the price λ/ε
            of receiving more or less.
    """

    max_iterations: int = 100
    tolerance: float = 1e-2
    target_relaxation: float | None = None

    def __post_init__(self) -> None:
        if self.max_iterations < 1:
            raise SettingError(f"sinkhorn.max_iterations is {self.max_iterations}: give 1 or more")

    def memory(self, kernel: LogKernel) -> Matrix | None:
        """Return memory for the weights of a kernel; None if it is too large to keep them."""
        n, m = kernel.shape
        if n * m > _KEPT_UP_TO:
            return None
        rounds = n * m >= _ROUNDING_PAYS_FROM and self.tolerance >= _SAFE_TOLERANCE
        level = kernel.level()
        return level.new_empty(n, m, dtype=torch.bfloat16 if rounds else level.dtype)

    def solve(
        self, kernel: LogKernel, *, start: Vector | None = None, out: Matrix | None = None
    ) -> SweptPlan:
        """Return the plan of this kernel.

        Args:
            kernel: The kernel.
            start: Potentials to begin with, such as those of a similar problem.
            out: Memory that `memory` returned for a kernel of this shape, to be used again.
        """
        m = kernel.shape[1]
        relaxation = self.target_relaxation
        exponent = 1.0 if relaxation is None else relaxation / (relaxation + 1)
        potential = kernel.level() if start is None else start
        sweeps = _Sweeps(kernel, self.memory(kernel) if out is None else out)
        n_iter, last = 0, torch.inf
        while True:
            received = sweeps.received(potential)  # (m,)
            change = exponent * (potential - (m * received).log()) - potential
            misplaced = ((change.exp() - 1) * received).abs().sum()
            farthest = sweeps.distance(potential + _LONG_STEP * change)
            error, distance = torch.stack([misplaced, farthest]).tolist()  # waits for the device
            if error <= self.tolerance or n_iter == self.max_iterations:
                converged = error <= self.tolerance
                return SweptPlan(kernel, potential, sweeps.kept, converged, n_iter, error)
            if distance > _FARTHEST:
                sweeps.forget()
            # Over-relaxation: sharp kernels need fewer sweeps (Thibault et al., 2017).
            step = _LONG_STEP if n_iter >= _PLAIN_STEPS and error < last else 1.0
            potential = potential + step * change
            n_iter, last = n_iter + 1, error


class _Sweeps:
    """Computes the mass of each target when every source sends its share.

    Args:
        kernel: The kernel.
        memory: For its weights; None if they are not kept.
    """

    def __init__(self, kernel: LogKernel, memory: Matrix | None) -> None:
        self._kernel, self._memory = kernel, memory
        self.kept: KeptWeights | None = None

    def received(self, potential: Vector) -> Vector:
        """Return the mass of each target under this potential, (m,); always above 0."""
        if self.kept is None and self._memory is not None:
            self.kept = KeptWeights(self._kernel, potential, self._memory)
        found = (
            _computed(self._kernel, potential)
            if self.kept is None
            else self.kept.received(potential)
        )
        return found.clamp_(min=torch.finfo(found.dtype).tiny)

    def distance(self, potential: Vector) -> Vector:
        """Return how far a potential is from the one that weights are kept for, a scalar."""
        return potential.new_zeros(()) if self.kept is None else self.kept.distance(potential)

    def forget(self) -> None:
        """Compute the weights again for the next potential."""
        self.kept = None


def _computed(kernel: LogKernel, potential: Vector) -> Vector:
    n, m = kernel.shape
    received = torch.zeros_like(potential)
    for weights in kernel.row_weights(potential):
        sending = weights[:, :m]
        received.addmv_(sending.T, 1 / (n * sending.sum(dim=1)))
    return received
