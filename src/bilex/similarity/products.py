"""Fast, approximate products of queries and candidates, with bounds on their error.

A product computes for a block of queries a tile of *keys* (one for each candidate, ordered like
the scores) and bounds, for each query, how far the true score of any candidate can exceed its
key. `topk` uses the bound to certify that no excluded candidate belongs in the result. A coarser
product therefore makes `topk` slower, but never inexact.
"""

from __future__ import annotations

from typing import Protocol

import torch

from bilex.values import Matrix, Vector

_FLOAT32_ROUNDING = 2.0**-24
_BFLOAT16_ROUNDING = 2.0**-8
BFLOAT16_STEP = 32
"""Matrix units process so many coordinates at once; dimensions are padded to a multiple."""


class Product(Protocol):
    """Approximate scores of a block of queries against all candidates."""

    dtype: torch.dtype
    width: int

    def keys(self, queries: Matrix, out: torch.Tensor) -> torch.Tensor:
        """Fill `out` (n_queries, width) with scores and return it as sortable keys."""
        ...

    def ceiling(self, queries: Matrix, keys: Vector) -> Vector:
        """Return, for each query, an upper bound of the true scores of keys up to this one."""
        ...


class Float32Product:
    """A float32 product: its only error is rounding, and it needs no preparation."""

    dtype = torch.float32

    def __init__(self, candidates: Matrix, bias: Vector | None, width: int) -> None:
        self.width = width
        self._candidates = candidates
        self._bias = bias
        self._length = _longest(candidates)
        self._largest_bias = 0.0 if bias is None else float(bias.abs().max())

    def keys(self, queries: Matrix, out: torch.Tensor) -> torch.Tensor:
        """Return float32 scores; minus infinity for padding."""
        m = len(self._candidates)
        out[:, m:] = -torch.inf
        if self._bias is None:
            torch.mm(queries, self._candidates.T, out=out[:, :m])
        else:
            torch.addmm(self._bias, queries, self._candidates.T, out=out[:, :m])
        return out

    def ceiling(self, queries: Matrix, keys: Vector) -> Vector:
        """Add the rounding error of a sum of products and a bias."""
        products = _lengths(queries) * self._length
        rounding = _accumulation(queries.shape[1]) * (products + self._largest_bias)
        return keys.double() + rounding + _reduced_precision() * products


class BFloat16Product:
    """A product of vectors rounded to bfloat16, many times faster where the hardware has it.

    With x̂, ŷ the rounded vectors, x·y − x̂·ŷ = x·(y − ŷ) + (x − x̂)·ŷ, so by Cauchy–Schwarz the
    error is at most |x||y − ŷ| + |x − x̂||ŷ|, both known. The sum is also rounded to float32 and
    the result to bfloat16. A bias is added as two more coordinates, its bfloat16 value and the
    bfloat16 value of the remainder, so it is exact to 16 bits.

    Keys are the bits of the result read as int16, whose maxima are much faster to compute.
    Non-negative keys sort like the scores; negative ones sort below them, but not in the order of
    the scores, so `ceiling` treats their scores as 0.
    """

    dtype = torch.bfloat16

    def __init__(self, candidates: Matrix, bias: Vector | None, width: int) -> None:
        self.width = width
        rounded = candidates.bfloat16()
        parts, leftover = _split_bias(bias)
        self._n_parts = len(parts)
        self._blank = -(candidates.shape[1] + len(parts)) % BFLOAT16_STEP
        augmented = _augmented(rounded, parts, width, self._blank)
        self._transposed = augmented.T.contiguous()
        self._length = _longest(augmented.float())
        self._residual = _longest(candidates - rounded.float())
        self._leftover = leftover

    def keys(self, queries: Matrix, out: torch.Tensor) -> torch.Tensor:
        """Return the bits of bfloat16 scores as int16."""
        rounded = _with_ones(queries.bfloat16(), self._n_parts)
        rounded = torch.nn.functional.pad(rounded, (0, self._blank))
        return torch.mm(rounded, self._transposed, out=out).view(torch.int16)

    def ceiling(self, queries: Matrix, keys: Vector) -> Vector:
        """Add the rounding errors of both vectors, the bias, the sum and the result."""
        rounded = queries.bfloat16().float()
        values = keys.clamp(min=0).view(torch.bfloat16).double() * (1 + _BFLOAT16_ROUNDING)
        error = (
            _lengths(queries) * self._residual
            + _lengths(queries - rounded) * self._length
            + _accumulation(queries.shape[1])
            * _lengths(_with_ones(rounded, self._n_parts))
            * self._length
            + self._leftover
        )
        return values + error


def _reduced_precision() -> float:
    """Bound the relative error of float32 products that torch computes in reduced precision.

    Users set `torch.set_float32_matmul_precision` for the whole process; reduced precision gives
    fewer certificates, so `topk` is slower but still exact.
    """
    inputs = {"highest": 0.0, "high": 2.0**-10, "medium": 2.0**-7}
    unit = inputs[torch.get_float32_matmul_precision()]
    return 2 * unit + unit * unit


def _accumulation(dim: int) -> float:
    """Bound the relative rounding error of a float32 sum of `dim` terms in any order.

    Twice the textbook bound: the rest covers the final rounding of the true score and units that
    flush tiny terms to zero.
    """
    return 2 * (dim + 8) * _FLOAT32_ROUNDING


def _split_bias(bias: Vector | None) -> tuple[list[Vector], float]:
    """Return two bfloat16 vectors whose sum is close to the bias, and the largest difference."""
    if bias is None:
        return [], 0.0
    high = bias.bfloat16()
    low = (bias - high.float()).bfloat16()
    missing = bias.double() - high.double() - low.double()
    return [high, low], float(missing.abs().max())


def _augmented(rows: Matrix, columns: list[Vector], width: int, blank: int = 0) -> Matrix:
    """Append columns to the rows, then `blank` zero columns, and zero rows up to `width`."""
    padded = rows.new_zeros(width, rows.shape[1] + len(columns) + blank)
    padded[: rows.shape[0], : rows.shape[1]] = rows
    for position, column in enumerate(columns):
        padded[: rows.shape[0], rows.shape[1] + position] = column
    return padded


def _with_ones(rows: Matrix, count: int) -> Matrix:
    return torch.nn.functional.pad(rows, (0, count), value=1.0) if count else rows


def _lengths(rows: Matrix) -> Vector:
    """Return upper bounds of the lengths of rows: float32 norms plus their rounding error."""
    norms: Vector = torch.linalg.vector_norm(rows, dim=1)
    return norms.double() * (1 + 2.0**-12)


def _longest(rows: Matrix) -> float:
    return float(_lengths(rows).max())
