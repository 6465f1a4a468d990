"""The one top-k kernel: the k best candidates of each query, exactly, in bounded memory.

Scores are inner products (plus biases) computed in float64 and rounded to float32, so they do
not depend on block sizes, devices or instruction sets; ties go to the lower row.

A fast product proposes a few more candidates than asked for; these are scored exactly, and a
bound on the product's error certifies that no other candidate can be among the best k. Queries
without a certificate go to the next finer product, and in the end to an exhaustive search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from bilex.errors import DimensionError, SettingError
from bilex.similarity.products import BFloat16Product, Float32Product, Product
from bilex.similarity.selection import padded_width, select
from bilex.values import Compute, Matrix, Neighbors, Progress, Vector

_EXTRA_CANDIDATES = {torch.bfloat16: 16, torch.float32: 4}
_EXHAUSTIVE_BELOW = 256  # fewer candidates than this are not worth a proposal
_ROUNDING_PAYS_FROM = 1_024  # queries; rounding all candidates for fewer costs more than it saves
_ROWS_AT_ONCE = 1_024  # enough to keep the product busy; more only costs memory
_PANEL = 8_192  # candidates at a time in an exhaustive search


@dataclass(frozen=True, slots=True)
class _Problem:
    queries: Matrix
    candidates: Matrix
    query_bias: Vector | None
    candidate_bias: Vector | None
    k: int
    compute: Compute


def topk(
    queries: Matrix,
    candidates: Matrix,
    k: int,
    *,
    query_bias: Vector | None = None,
    candidate_bias: Vector | None = None,
    compute: Compute | None = None,
    on_block: Progress | None = None,
) -> Neighbors:
    """Return the k candidates with the largest inner product for each query, best first.

    Args:
        queries: (n, dim), float32 and finite.
        candidates: (m, dim), float32 and finite; k is clamped to m.
        k: How many to return.
        query_bias: Added to all scores of a query; changes scores, never their order.
        candidate_bias: Added to all scores of a candidate.
        compute: Memory and precision; never changes the answer.
        on_block: Told of progress.
    """
    _check(queries, candidates, k)
    problem = _Problem(
        queries,
        candidates,
        query_bias,
        candidate_bias,
        min(k, len(candidates)),
        compute or Compute(),
    )
    n, k = len(queries), problem.k
    found = Neighbors(
        torch.empty(n, k, dtype=torch.long, device=queries.device),
        torch.empty(n, k, dtype=torch.float32, device=queries.device),
    )
    if n == 0 or k == 0:
        return found
    open_rows = torch.arange(n, device=queries.device)
    for product in _ladder(problem):
        workspace = _Workspace(problem, product, len(open_rows))
        left = [
            _propose_and_certify(problem, product, rows, found, workspace)
            for rows in _reported(open_rows, workspace.rows, n, on_block)
        ]
        open_rows = torch.cat(left)
        if not len(open_rows):
            return found
    rows_at_once = max(1, problem.compute.memory // (40 * min(_PANEL, len(candidates))))
    for rows in _reported(open_rows, rows_at_once, n, on_block):
        found.ids[rows], found.scores[rows] = _exhaustive(problem, rows)
    return found


def _check(queries: Matrix, candidates: Matrix, k: int) -> None:
    if queries.shape[1] != candidates.shape[1]:
        raise DimensionError(
            f"queries have {queries.shape[1]} dimensions, candidates {candidates.shape[1]}: "
            "map one into the space of the other first"
        )
    if k < 1:
        raise SettingError(f"k is {k}: ask for at least one neighbor")


def _ladder(problem: _Problem) -> Iterator[Product]:
    """Yield products from fast to fine; each is made only when the one before was not enough."""
    precision, m = problem.compute.precision, len(problem.candidates)
    if precision == "exhaustive" or m < max(_EXHAUSTIVE_BELOW, 4 * problem.k):
        return
    width = padded_width(m)
    worthwhile = len(problem.queries) >= _ROUNDING_PAYS_FROM
    if precision == "bfloat16" or (
        precision == "auto" and worthwhile and fast_bfloat16(problem.queries.device)
    ):
        yield BFloat16Product(problem.candidates, problem.candidate_bias, width)
    yield Float32Product(problem.candidates, problem.candidate_bias, width)


def fast_bfloat16(device: torch.device) -> bool:
    """Tell whether this device multiplies bfloat16 much faster than float32."""
    if device.type == "cpu":
        return bool(torch.cpu._is_amx_tile_supported())
    return device.type == "cuda"


class _Workspace:
    """Buffers that every block uses again: fresh ones would cost as much as the product."""

    def __init__(self, problem: _Problem, product: Product, wanted: int) -> None:
        dim, device = problem.queries.shape[1], problem.queries.device
        self.count = problem.k + _EXTRA_CANDIDATES[product.dtype]
        row_bytes = product.width * product.dtype.itemsize + self.count * dim * 12
        self.rows = max(1, min(wanted, _ROWS_AT_ONCE, problem.compute.memory // row_bytes))
        self.tile = torch.empty(self.rows, product.width, dtype=product.dtype, device=device)
        self.gathered = torch.empty(self.rows * self.count, dim, device=device)
        self.gathered64 = torch.empty_like(self.gathered, dtype=torch.float64)


def _reported(
    rows: torch.Tensor, at_once: int, total: int, on_block: Progress | None
) -> Iterator[torch.Tensor]:
    done = total - len(rows)
    for first in range(0, len(rows), at_once):
        block = rows[first : first + at_once]
        yield block
        done += len(block)
        if on_block is not None:
            on_block(done, total)


def _propose_and_certify(
    problem: _Problem,
    product: Product,
    rows: torch.Tensor,
    found: Neighbors,
    workspace: _Workspace,
) -> torch.Tensor:
    """Write the answers of these rows and return the rows that have no certificate."""
    queries = problem.queries[rows]
    keys = product.keys(queries, workspace.tile[: len(rows)])
    proposed, excluded = select(keys, workspace.count)
    scores = _rescore(problem, queries, rows, proposed, workspace)
    ids, best = _ranked(scores, proposed, problem.k)
    ceiling = product.ceiling(queries, excluded)
    if problem.query_bias is not None:
        ceiling += problem.query_bias[rows]
    found.ids[rows], found.scores[rows] = ids, best
    return rows[best[:, -1] <= ceiling]


def _rescore(
    problem: _Problem,
    queries: Matrix,
    rows: torch.Tensor,
    proposed: torch.Tensor,
    workspace: _Workspace,
) -> torch.Tensor:
    """Return exact scores of the proposed candidates; padding scores minus infinity."""
    real = proposed < len(problem.candidates)
    safe = torch.where(real, proposed, 0)
    gathered = workspace.gathered[: safe.numel()]
    torch.index_select(problem.candidates, 0, safe.flatten(), out=gathered)
    gathered64 = workspace.gathered64[: safe.numel()].copy_(gathered).view(*safe.shape, -1)
    scores = torch.bmm(gathered64, queries.double().unsqueeze(2)).squeeze(2)
    if problem.candidate_bias is not None:
        scores += problem.candidate_bias[safe]
    if problem.query_bias is not None:
        scores += problem.query_bias[rows, None]
    return scores.float().masked_fill_(~real, -torch.inf)


def _exhaustive(problem: _Problem, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Score the rows against every candidate in float64, panel by panel."""
    queries = problem.queries[rows].double()
    best_ids = torch.empty(len(rows), 0, dtype=torch.long, device=queries.device)
    best = torch.empty(len(rows), 0, device=queries.device)
    for first in range(0, len(problem.candidates), _PANEL):
        panel = slice(first, first + _PANEL)
        scores = queries @ problem.candidates[panel].double().T
        if problem.candidate_bias is not None:
            scores += problem.candidate_bias[panel]
        if problem.query_bias is not None:
            scores += problem.query_bias[rows, None]
        ids = torch.arange(first, first + scores.shape[1], device=queries.device)
        merged_ids = torch.cat([best_ids, ids.expand(len(rows), -1)], dim=1)
        merged = torch.cat([best, scores.float()], dim=1)
        best_ids, best = _ranked(merged, merged_ids, min(problem.k, merged.shape[1]))
    return best_ids, best


def _ranked(scores: torch.Tensor, ids: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k best of each row by descending score, equal scores by ascending id.

    Score and id become one integer: the float's bits, made to sort like the float, above the
    complement of the id.
    """
    bits = (scores + 0.0).view(torch.int32).long()  # + 0.0 turns -0.0 into 0.0
    ordered = torch.where(bits < 0, bits ^ 0x7FFF_FFFF, bits)
    best = ((ordered << 32) | (0xFFFF_FFFF - ids)).topk(k, dim=1).values
    ordered = best >> 32
    bits = torch.where(ordered < 0, ordered ^ 0x7FFF_FFFF, ordered)
    return 0xFFFF_FFFF - (best & 0xFFFF_FFFF), bits.int().view(torch.float32)
