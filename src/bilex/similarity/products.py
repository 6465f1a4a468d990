"""Fast, approximate products of queries and candidates, with bounds on their error.

A product computes for a block of queries a tile of *keys* (one for each candidate, ordered like
the scores) and bounds, for each query, how far the true score of any candidate can exceed its
key. `topk` uses the bound to certify that no excluded candidate belongs in the result. A coarser
product therefore makes `topk` slower, but never inexact.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Protocol

import torch

from bilex.values import Matrix, Vector

_FLOAT32_ROUNDING = 2.0**-24
_BFLOAT16_ROUNDING = 2.0**-8
BFLOAT16_STEP = 32
"""Matrix units process this many coordinates at once; dimensions are padded to a multiple."""

INT8_STEP = 4
"""Instructions for 8-bit integers add up this many products at once."""

_LARGEST = 127
_TINIEST = 2.0**-60  # smallest scale, used for zero vectors
_MOST_PARTS = 64  # coordinates for a bias; a bias that needs more gets larger steps
_BIAS_COORDINATE = 64  # of a typical query; large enough that rounding it to an integer is precise


class Product(Protocol):
    """Approximate scores of a block of queries against all candidates."""

    dtype: torch.dtype
    width: int
    is_coarse: bool
    """Whether so many candidates are proposed that float32 should narrow them down first."""

    def surplus(self, k: int) -> int:
        """Return how many more than k candidates to propose, so that a certificate is likely."""
        ...

    def keys(self, queries: Matrix, out: torch.Tensor) -> torch.Tensor:
        """Fill `out` (n_queries, width) with scores and return it as sortable keys."""
        ...

    def scores(self, queries: Matrix, keys: torch.Tensor) -> Matrix:
        """Convert keys (n_queries, n) to approximate scores."""
        ...

    def ceiling(self, queries: Matrix, keys: Vector) -> Vector:
        """Return, for each query, an upper bound of the true scores of keys up to this one."""
        ...


class Float32Product:
    """A float32 product: its only error is rounding, and it needs no preparation."""

    dtype = torch.float32
    is_coarse = False

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

    def surplus(self, k: int) -> int:
        """Return a few: scores differ by more than rounding."""
        return 4

    def scores(self, queries: Matrix, keys: torch.Tensor) -> Matrix:
        """Return the keys, which are scores."""
        return keys

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
    is_coarse = False

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

    def surplus(self, k: int) -> int:
        """Return a number with which all rows of real vectors got a certificate."""
        return 16

    def scores(self, queries: Matrix, keys: torch.Tensor) -> Matrix:
        """Return the keys as bfloat16 again."""
        return keys.view(torch.bfloat16).float()

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


class Int8Product:
    """A product of vectors rounded to 8-bit integers, whose sums are exact 32-bit integers.

    All candidates have one scale, so that their keys can be compared; each query has its own.
    The error is bounded as for bfloat16, by the rounding errors of both vectors, and is several
    times larger: more candidates are proposed. A bias is rounded to whole steps, which are divided
    over further coordinates of the candidates. The matching coordinate of a query is the size of a
    step in units of the query's product; the scale of the query makes it a whole number.
    """

    dtype = torch.int32
    is_coarse = True

    def __init__(self, candidates: Matrix, bias: Vector | None, width: int) -> None:
        self.width = width
        self._scale = max(float(candidates.abs().max()) / _LARGEST, _TINIEST)
        rounded = (candidates / self._scale).round_()
        self._largest_bias = 0.0 if bias is None else float(bias.abs().max())
        self._step = max(
            _BIAS_COORDINATE * self._scale**2, self._largest_bias / (_LARGEST * _MOST_PARTS)
        )
        counts = _bias_counts(bias, self._step, len(candidates))
        self._parts = counts.shape[1]
        blank = -(candidates.shape[1] + self._parts) % INT8_STEP
        padded = candidates.new_zeros(width, candidates.shape[1] + self._parts + blank)
        padded[: len(candidates), : candidates.shape[1]] = rounded
        padded[: len(candidates), candidates.shape[1] : candidates.shape[1] + self._parts] = counts
        self._transposed = padded.to(torch.int8).T
        kept = rounded.mul_(self._scale)
        self._length, self._residual = _longest(kept), _longest(candidates - kept)
        self._leftover = 0.0
        if bias is not None:
            missing = bias.double() - counts.double().sum(1) * self._step
            self._leftover = float(missing.abs().max())

    def keys(self, queries: Matrix, out: torch.Tensor) -> torch.Tensor:
        """Return the sums of products of integers."""
        scales, counts = self._scales(queries)
        rounded = queries.new_zeros(len(queries), self._transposed.shape[0])
        rounded[:, : queries.shape[1]] = (queries / scales[:, None]).round_()
        rounded[:, queries.shape[1] : queries.shape[1] + self._parts] = counts[:, None]
        return torch._int_mm(rounded.to(torch.int8), self._transposed, out=out)

    def surplus(self, k: int) -> int:
        """Return a number with which 99 % of the rows of real vectors got a certificate."""
        return k + 16

    def scores(self, queries: Matrix, keys: torch.Tensor) -> Matrix:
        """Return keys times both scales."""
        return keys * (self._scales(queries)[0] * self._scale)[:, None]

    def ceiling(self, queries: Matrix, keys: Vector) -> Vector:
        """Add the rounding errors of both vectors, the bias, and the scales."""
        scales, counts = self._scales(queries)
        kept = (queries / scales[:, None]).round_() * scales[:, None]
        values = keys.double() * scales.double() * self._scale
        products = _lengths(queries) * self._residual + _lengths(queries - kept) * self._length
        rounding = _accumulation(queries.shape[1]) * (
            _lengths(queries) * self._length + values.abs()
        )
        return values + products + rounding + self._bias_error(scales, counts)

    def _bias_error(self, scales: Vector, counts: Vector) -> Vector:
        """Bound the error of the bias: from rounding it to steps, and from the step of a query."""
        own = counts.double() * scales.double() * self._scale
        return (own / self._step - 1).abs() * (self._largest_bias + self._leftover) + self._leftover

    def _scales(self, queries: Matrix) -> tuple[Vector, Vector]:
        """Return the scale of each query, and its coordinate for the bias."""
        smallest = (queries.abs().amax(1) / _LARGEST).clamp(min=_TINIEST)
        if not self._parts:
            return smallest, torch.zeros_like(smallest)
        counts = (self._step / (self._scale * smallest)).floor().clamp(1, _LARGEST)
        return torch.maximum(self._step / (self._scale * counts), smallest), counts


def products_at(rows: Matrix, others: Matrix, ids: torch.Tensor) -> Matrix:
    """Return the float32 products of each row with the other rows named in its line of `ids`."""
    n, k = ids.shape
    if rows.device.type not in ("cpu", "cuda"):
        return torch.bmm(others[ids], rows.unsqueeze(2)).squeeze(2)
    starts = torch.arange(0, n * k + 1, k, device=ids.device)
    _silence_torch()
    where = torch.sparse_csr_tensor(
        starts, ids.flatten(), rows.new_zeros(n * k), (n, len(others)), check_invariants=False
    )
    products: Matrix = torch.sparse.sampled_addmm(where, rows, others.T, beta=0.0).values()
    return products.view(n, k)


@cache
def _silence_torch() -> None:
    """Trigger and suppress the one-time warning of torch that sparse matrices are in beta state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        torch.zeros(1, 1).to_sparse_csr()


def _bias_counts(bias: Vector | None, step: float, rows: int) -> Matrix:
    """Return the bias in whole steps, divided over as many coordinates as it takes."""
    if bias is None:
        return torch.zeros(rows, 0)
    steps = (bias / step).round()
    parts = max(1, math.ceil(float(steps.abs().max()) / _LARGEST))
    places = torch.arange(parts, device=bias.device)
    return torch.div(steps[:, None] + places, parts, rounding_mode="floor")


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
