"""Optimal transport without a matrix: the kernel is made anew, block by block, in each sweep.

The same problem as in `bilex.alignment.transport.sinkhorn`, for hard source marginals. Where
products are fast and memory is slow, making a block of the kernel again costs less than reading it
back, and 20,000 × 20,000 words fit into a few megabytes. Everything stays in the log domain: the
log kernel of a block plus the potentials of the targets gives the plan of the block after dividing
each row by its sum, and adding up the blocks what each target receives. An iteration is one such
sweep, and stable at any sharpness.
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

_ROWS_AT_ONCE = 256  # a block that stays in the cache between the passes over it
_ROUNDING_PAYS_FROM = 2**20  # entries of a kernel; fewer are done before it matters
_EMPTY = -1.0  # in the padding of a block: less than any weight


class LogKernel:
    """log Γ − D/ε as rows · columnsᵀ + bias, plus what `more` says, one block at a time.

    Args:
        rows: (n, dim).
        columns: (m, dim).
        bias: For each column, (m,).
        more: Returns what else to add for a block of rows, (len(block), m).
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
        rounded = len(rows) * len(columns) >= _ROUNDING_PAYS_FROM and fast_bfloat16(rows.device)
        self.dtype = torch.bfloat16 if rounded else rows.dtype
        self._bias = rows.new_zeros(len(columns)) if bias is None else bias
        self._more = more
        self._dim = rows.shape[1]
        if rounded:  # the bias becomes two more coordinates: its value and what that leaves
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
        """Return potentials that prefer no target, (m,)."""
        return torch.zeros_like(self._bias)

    def row_weights(self, potential: Vector) -> Iterator[Matrix]:
        """Yield blocks of exp(log kernel + potential), each row divided by its largest entry.

        A block is (n_rows, m or a little more); what is more is less than any weight. The next
        block overwrites it.
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
    """A transport plan as its kernel and the potentials of the targets; rows sum to 1/n."""

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
        """Return blocks of rows of the plan, each row up to a factor; see `LogKernel`."""
        return self.kernel.row_weights(self.potential)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepingSinkhorn:
    """Finds plans of kernels too large to be held; marginals are uniform.

    Args:
        max_iterations: Give up after so many; a plan says if it was given up on.
        tolerance: Stop when targets receive what they should up to this share of the mass.
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
        """Return the plan of this kernel, from the potentials of a similar problem if given."""
        m = kernel.shape[1]
        relaxation = self.target_relaxation
        exponent = 1.0 if relaxation is None else relaxation / (relaxation + 1)
        potential = kernel.level() if start is None else start
        n_iter = 0
        while True:
            received = _received(kernel, potential)  # (m,)
            wanted = exponent * (potential - (m * received).log())
            error = float((((wanted - potential).exp() - 1) * received).abs().sum())
            if error <= self.tolerance or n_iter == self.max_iterations:
                converged = error <= self.tolerance
                return SweptPlan(kernel, potential, converged, n_iter, error)
            potential, n_iter = wanted, n_iter + 1


def _received(kernel: LogKernel, potential: Vector) -> Vector:
    """Return the mass of each target when every source sends its share; never quite nothing."""
    n, m = kernel.shape
    received = torch.zeros_like(potential)
    for weights in kernel.row_weights(potential):
        sending = weights[:, :m]
        received.addmv_(sending.T, 1 / (n * sending.sum(dim=1)))
    return received.clamp_(min=torch.finfo(received.dtype).tiny)
