"""Optimal transport without storing the kernel: each sweep computes it again, block by block.

The same problem as in `bilex.alignment.transport.sinkhorn`, for hard source marginals. Where
matrix products are fast and memory is slow, computing a block of the kernel again is faster than
reading it, and 20,000 × 20,000 words need only a few megabytes. All computations are in the log
domain. The plan of a block is the exponential of its log kernel plus the potentials of the targets,
with each row divided by its sum. The sum over all blocks is the mass that each target receives. An
iteration is one such sweep. It is stable for soft and for sharp plans.
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
        self._tile = self._bias.new_full((size, width), _EMPTY)
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
        for first in range(0, n, len(self._tile)):
            block = slice(first, min(first + len(self._tile), n))
            count = block.stop - first
            tile = self._tile[:count, :m]
            if self._product is None:
                torch.addmm(bias, self._rows[block], self._columns, out=tile)
            else:
                torch.mm(self._rows[block], self._columns, out=self._product[:count])
                tile.copy_(self._product[:count])
            if self._more is not None:
                tile += self._more(block)
            tile.sub_(tile.amax(dim=1, keepdim=True)).exp_()
            yield self._tile[:count]


@dataclass(frozen=True, slots=True, eq=False)
class SweptPlan:
    """A transport plan, stored as its kernel and the potentials of the targets; rows sum to 1/n."""

    kernel: LogKernel
    potential: Vector  # (m,)
    converged: bool
    n_iter: int
    error: float

    @property
    def dtype(self) -> torch.dtype:
        """Return the precision of products with this plan."""
        return self.kernel.dtype

    def row_weights(self) -> Iterator[Matrix]:
        """Return blocks of rows of the plan, each row up to a factor, as `LogKernel` does."""
        return self.kernel.row_weights(self.potential)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepingSinkhorn:
    """Computes plans of kernels that are too large to store; marginals are uniform.

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

    def solve(self, kernel: LogKernel, *, start: Vector | None = None) -> SweptPlan:
        """Return the plan of this kernel; `start` may be the potentials of a similar problem."""
        m = kernel.shape[1]
        relaxation = self.target_relaxation
        exponent = 1.0 if relaxation is None else relaxation / (relaxation + 1)
        potential = kernel.level() if start is None else start
        n_iter, last = 0, torch.inf
        while True:
            received = _received(kernel, potential)  # (m,)
            wanted = exponent * (potential - (m * received).log())
            error = float((((wanted - potential).exp() - 1) * received).abs().sum())
            if error <= self.tolerance or n_iter == self.max_iterations:
                converged = error <= self.tolerance
                return SweptPlan(kernel, potential, converged, n_iter, error)
            # Over-relaxation: sharp kernels need fewer sweeps (Thibault et al., 2017).
            step = _LONG_STEP if n_iter >= _PLAIN_STEPS and error < last else 1.0
            potential = potential + step * (wanted - potential)
            n_iter, last = n_iter + 1, error


def _received(kernel: LogKernel, potential: Vector) -> Vector:
    """Return the mass of each target when every source sends its share; always above 0."""
    n, m = kernel.shape
    received = torch.zeros_like(potential)
    for weights in kernel.row_weights(potential):
        sending = weights[:, :m]
        received.addmv_(sending.T, 1 / (n * sending.sum(dim=1)))
    return received.clamp_(min=torch.finfo(received.dtype).tiny)
