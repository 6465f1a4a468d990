"""The top-k kernel: the k best candidates of each query, in bounded memory.

Scores are inner products (plus biases) computed in float64 and rounded to float32, so they do
not depend on block sizes, devices or instruction sets; ties go to the lower row.

A fast product proposes a few more than k candidates. These are scored exactly, and a bound on
the product's error certifies that no other candidate can be among the best k. Queries without a
certificate are searched with the next finer product, and finally exhaustively.

An approximate search scores only candidates in cells near the query, and has no certificate. What
it finds has the same scores as in an exact search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property

import torch

from bilex.errors import DimensionError, SettingError
from bilex.similarity.cells import FEWEST, Cells, Centers, number_of_centers
from bilex.similarity.hardware import exact_int8, fast_bfloat16, fast_int8
from bilex.similarity.products import (
    BFloat16Product,
    Float32Product,
    Int8Product,
    Product,
    products_at,
)
from bilex.similarity.selection import padded_width, ranked, select
from bilex.values import APPROXIMATE_FROM, Compute, Matrix, Neighbors, Progress, Vector

_EXHAUSTIVE_BELOW = 256  # candidates; with fewer, proposing does not pay off
_ROUNDING_PAYS_FROM = 1_024  # queries; for fewer, rounding all candidates costs more than it saves
_ROWS_AT_ONCE = 1_024  # enough for full speed; more only needs more memory
_ROWS_IN_CACHE = 128  # with their candidates, when only these are scored
_PANEL = 8_192  # candidates per step of an exhaustive search
_PROPOSED = 64  # nearest candidates that an approximate search scores, or four times k
_MANY_TIMES = 32  # as many candidates as wanted, or more, for an approximate search


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
        k: Number of neighbors to return.
        query_bias: Added to all scores of a query; changes scores, never their order.
        candidate_bias: Added to all scores of a candidate.
        compute: How to search; its memory and precision never change the answer.
        on_block: Called with the number of finished queries and the total.
    """
    pool = SearchPool(candidates, bias=candidate_bias, compute=compute)
    return pool.topk(queries, k, query_bias=query_bias, on_block=on_block)


def is_approximate(compute: Compute, candidates: int) -> bool:
    """Return whether searches among this number of candidates are approximate."""
    if compute.search == "auto":
        return candidates >= APPROXIMATE_FROM
    return compute.search == "approximate" and candidates >= FEWEST


def describe_search(compute: Compute, candidates: int) -> str | None:
    """Return a line for users about searches among this number of words; None if as expected."""
    if is_approximate(compute, candidates):
        if compute.search == "approximate":
            return (
                "searching approximately, as requested: some of the best translations will be "
                "missed"
            )
        return (
            f"searching approximately, because there are {candidates:,} words "
            f"({APPROXIMATE_FROM:,} or more): add --search exact to find all best translations"
        )
    if compute.search == "approximate":
        return (
            f"searching exactly: {candidates:,} words are too few for an approximate search "
            f"({FEWEST:,} or more)"
        )
    return None


def _empty(queries: Matrix, k: int) -> Neighbors:
    shape, device = (len(queries), k), queries.device
    return Neighbors(
        torch.empty(shape, dtype=torch.long, device=device), torch.empty(shape, device=device)
    )


class SearchPool:
    """Candidates for repeated searches; prepared at the first search that needs it.

    Args:
        candidates: (m, dim).
        bias: Added to all scores of a candidate.
        compute: How to search.
        centers: Returns the centers of cells for approximate searches; by default, centers of the
            candidates.
        few_exactly: Whether an approximate search for a few queries is exact, because finding the
            cells of the candidates takes longer. Then the answer to a query depends on how many
            others there are.
    """

    def __init__(
        self,
        candidates: Matrix,
        *,
        bias: Vector | None = None,
        compute: Compute | None = None,
        centers: Callable[[], Centers] | None = None,
        few_exactly: bool = False,
    ) -> None:
        self.candidates = candidates
        self.bias = bias
        self.compute = compute or Compute()
        self.centers = centers
        self.few_exactly = few_exactly
        self._proposing: Product | None = None
        self._tile: torch.Tensor | None = None  # reused: allocation takes as long as the product
        self._n_queries = 0  # so far; with many, a bfloat16 copy of the candidates pays off
        self._cells: list[Cells] = []  # shared with pools of the same candidates

    def __len__(self) -> int:
        return len(self.candidates)

    def is_approximate(self, k: int) -> bool:
        """Return whether a search for k candidates is approximate: there are many more than k."""
        return is_approximate(self.compute, len(self)) and _MANY_TIMES * k <= len(self)

    def biased(self, bias: Vector) -> SearchPool:
        """Return a pool of the same candidates with another bias."""
        other = SearchPool(
            self.candidates,
            bias=bias,
            compute=self.compute,
            centers=self.centers,
            few_exactly=self.few_exactly,
        )
        other._cells = self._cells
        return other

    def near(self, queries: Matrix, k: int) -> Neighbors:
        """Return the candidates among which an approximate search finds the best k.

        Returns:
            (n_queries, width_of_near), in no order: candidates in int32, padding being the number
            of candidates, and their inner products without bias, minus infinity for padding.
        """
        self._check(queries, k)
        if not self._cells:
            centers = Centers.of(self.candidates) if self.centers is None else self.centers()
            self._cells.append(Cells(self.candidates, centers, self.compute))
        ids = self._cells[0].propose(queries, self.width_of_near(k))
        scores = queries.new_empty(ids.shape)
        for rows in torch.split(torch.arange(len(queries), device=queries.device), _ROWS_AT_ONCE):
            scores[rows] = self.products(queries[rows], ids[rows].long())
        return Neighbors(ids, scores)

    def products(self, queries: Matrix, ids: torch.Tensor) -> Matrix:
        """Return the inner products with these candidates, minus infinity for padding."""
        real = ids < len(self)
        products = products_at(queries, self.candidates, torch.where(real, ids, 0))
        return products.masked_fill_(~real, -torch.inf)

    def width_of_near(self, k: int) -> int:
        """Return the number of columns of `near`."""
        return max(_PROPOSED, 4 * k)

    def best_of(
        self, near: Neighbors, queries: Matrix, k: int, *, query_bias: Vector | None = None
    ) -> Neighbors:
        """Return the k best of the candidates in `near`, which the method `near` returned.

        Scores are those of an exact search. A query with fewer than k of them is searched exactly.
        """
        k = min(k, len(self))
        found = _empty(queries, k)
        search = _Search(self, queries, query_bias, k, found)
        row_bytes = near.ids.shape[1] * (24 + queries.shape[1] * 4)
        at_once = max(1, min(_ROWS_IN_CACHE, self.compute.memory // row_bytes))
        for rows in torch.split(torch.arange(len(queries), device=queries.device), at_once):
            search.choose(rows, near.ids[rows].long(), near.scores[rows])
        return found

    def topk(
        self,
        queries: Matrix,
        k: int,
        *,
        query_bias: Vector | None = None,
        on_block: Progress | None = None,
    ) -> Neighbors:
        """Return the k best candidates of each query, best first; see `topk`."""
        self._check(queries, k)
        few = self.few_exactly and len(queries) <= number_of_centers(self.candidates)
        if self.is_approximate(k) and len(queries) and not few:
            found = self.best_of(self.near(queries, k), queries, k, query_bias=query_bias)
            if on_block is not None:
                on_block(len(queries), len(queries))
            return found
        n, k = len(queries), min(k, len(self))
        found = _empty(queries, k)
        if n == 0 or k == 0:
            return found
        self._n_queries += n
        search = _Search(self, queries, query_bias, k, found)
        open_rows = torch.arange(n, device=queries.device)
        for product in self._products(k):
            workspace = _Workspace(product, search, len(open_rows))
            left = [
                search.propose_and_certify(product, rows, workspace)
                for rows in _reported(open_rows, workspace.rows, n, on_block)
            ]
            open_rows = torch.cat(left)
            if not len(open_rows):
                return found
        at_once = max(1, self.compute.memory // (40 * min(_PANEL, len(self))))
        for rows in _reported(open_rows, at_once, n, on_block):
            search.exhaust(rows)
        return found

    def propose(self, queries: Matrix, k: int) -> Neighbors:
        """Return the k candidates of each query that the fastest product ranks first.

        Almost always the best k; a candidate may be missing whose score is equal to that of the
        last one up to rounding. The scores have the same rounding error. For training: nothing is
        scored again, and only the first call waits for the device.
        """
        self._check(queries, k)
        k = min(k, len(self))
        if self.is_approximate(k):
            return self.best_of(self.near(queries, -(-k // 2)), queries, k)
        if len(self) < max(_EXHAUSTIVE_BELOW, 4 * k):
            scores = queries @ self.candidates.T
            best = (scores if self.bias is None else scores + self.bias).topk(k, dim=1)
            return Neighbors(best.indices, best.values)
        if self._proposing is None:
            self._proposing = self._proposer(queries, k)
        product = self._proposing
        at_once = self._rows_at_once(product, queries)
        if self._tile is None or len(self._tile) < at_once:
            self._tile = torch.empty(
                at_once, product.width, dtype=product.dtype, device=queries.device
            )
        tile = self._tile
        ids: list[torch.Tensor] = []
        key_scores: list[torch.Tensor] = []
        for block in torch.split(queries, at_once):
            keys = product.keys(block, tile[: len(block)])
            ids.append(select(keys, k)[0])
            key_scores.append(product.scores(block, keys.gather(1, ids[-1])))
        no_padding = torch.cat(ids).clamp_(max=len(self) - 1)
        return Neighbors(no_padding, torch.cat(key_scores))

    def _proposer(self, queries: Matrix, k: int) -> Product:
        """Choose the product that proposes: bfloat16 keys sort correctly only if positive."""
        precision, device = self.compute.precision, queries.device
        if precision in ("auto", "bfloat16") and fast_bfloat16(device):
            product = self._bfloat16
            some = queries[: self._rows_at_once(product, queries)]
            tile = torch.empty(len(some), product.width, dtype=product.dtype, device=some.device)
            keys = product.keys(some, tile)
            if bool((keys.gather(1, select(keys, k)[0]) > 0).all()):
                return product
        elif precision in ("auto", "int8") and fast_int8(device):
            return self._int8
        return self.float32

    def _rows_at_once(self, product: Product, queries: Matrix) -> int:
        fitting = self.compute.memory // (product.width * product.dtype.itemsize)
        return max(1, min(len(queries), _ROWS_AT_ONCE, fitting))

    def _check(self, queries: Matrix, k: int) -> None:
        if queries.shape[1] != self.candidates.shape[1]:
            raise DimensionError(
                f"queries have {queries.shape[1]} dimensions, candidates "
                f"{self.candidates.shape[1]}: map one into the space of the other first"
            )
        if k < 1:
            raise SettingError(f"k is {k}: expected 1 or more neighbors")

    def _products(self, k: int) -> Iterator[Product]:
        """Yield products from fast to precise; each is built only if queries are left for it."""
        precision = self.compute.precision
        if precision == "exhaustive" or len(self) < max(_EXHAUSTIVE_BELOW, 4 * k):
            return
        device = self.candidates.device
        pays = precision == "auto" and self._n_queries >= _ROUNDING_PAYS_FROM
        if precision == "bfloat16" or (pays and fast_bfloat16(device)):
            yield self._bfloat16
        elif (precision == "int8" and exact_int8(device)) or (pays and fast_int8(device)):
            yield self._int8
        yield self.float32

    @cached_property
    def _int8(self) -> Product:
        return Int8Product(self.candidates, self.bias, padded_width(len(self)))

    @cached_property
    def _bfloat16(self) -> Product:
        return BFloat16Product(self.candidates, self.bias, padded_width(len(self)))

    @cached_property
    def float32(self) -> Product:
        """Return the most precise product that proposes."""
        return Float32Product(self.candidates, self.bias, padded_width(len(self)))


def two_pools(
    source: Matrix,
    target: Matrix,
    compute: Compute | None,
    centers: Centers | None = None,
    *,
    few_exactly: bool = False,
) -> tuple[SearchPool, SearchPool]:
    """Return two languages as candidates, for searches of the words of the other one.

    Args:
        source: The words of one language.
        target: The words of the other.
        compute: How to search.
        centers: Common centers of cells, for approximate searches; trained if None.
        few_exactly: See `SearchPool`.
    """

    @cache
    def common() -> Centers:
        return centers or Centers.common(source, target)

    return (
        SearchPool(source, compute=compute, centers=common, few_exactly=few_exactly),
        SearchPool(target, compute=compute, centers=common, few_exactly=few_exactly),
    )


class _Search:
    """One search of a pool, and its results so far."""

    def __init__(
        self,
        pool: SearchPool,
        queries: Matrix,
        query_bias: Vector | None,
        k: int,
        found: Neighbors,
    ) -> None:
        self.pool = pool
        self.candidates, self.bias = pool.candidates, pool.bias
        self.queries, self.query_bias = queries, query_bias
        self.k, self.found, self.memory = k, found, pool.compute.memory

    def propose_and_certify(
        self, product: Product, rows: torch.Tensor, workspace: _Workspace
    ) -> torch.Tensor:
        """Store the results of these rows and return the rows without a certificate."""
        queries = self.queries[rows]
        keys = product.keys(queries, workspace.tile[: len(rows)])
        proposed, excluded = select(keys, workspace.proposed)
        ceiling = product.ceiling(queries, excluded)
        if workspace.count < workspace.proposed:
            products = self.pool.products(queries, proposed)
            proposed, left_out = self._narrow(proposed, products, workspace.count)
            ceiling = torch.maximum(ceiling, self.pool.float32.ceiling(queries, left_out))
        scores = self._rescore(queries, rows, proposed, workspace.gathered, workspace.gathered64)
        ids, best = ranked(scores, proposed, self.k)
        if self.query_bias is not None:
            ceiling += self.query_bias[rows]
        self.found.ids[rows], self.found.scores[rows] = ids, best
        return rows[best[:, -1] <= ceiling]

    def choose(self, rows: torch.Tensor, proposed: torch.Tensor, products: Matrix) -> None:
        """Store the best of the proposed candidates; search exhaustively where these are few."""
        queries = self.queries[rows]
        count = min(self.k + self.pool.float32.surplus(self.k), proposed.shape[1] - 1)
        few, _ = self._narrow(proposed, products, count)
        gathered = queries.new_empty(few.numel(), queries.shape[1])
        scores = self._rescore(queries, rows, few, gathered, gathered.double())
        ids, best = ranked(scores, few, self.k)
        self.found.ids[rows], self.found.scores[rows] = ids, best
        lacking = rows[best[:, -1] == -torch.inf]
        if len(lacking):
            self.exhaust(lacking)

    def exhaust(self, rows: torch.Tensor) -> None:
        """Score the rows against every candidate in float64, one panel at a time."""
        queries = self.queries[rows].double()
        best_ids = torch.empty(len(rows), 0, dtype=torch.long, device=queries.device)
        best = torch.empty(len(rows), 0, device=queries.device)
        for first in range(0, len(self.candidates), _PANEL):
            panel = torch.arange(
                first, min(first + _PANEL, len(self.candidates)), device=queries.device
            )
            scores = queries @ self.candidates[panel].double().T
            scores = self._biased(scores, rows, panel)
            merged_ids = torch.cat([best_ids, panel.expand(len(rows), -1)], dim=1)
            merged = torch.cat([best, scores], dim=1)
            best_ids, best = ranked(merged, merged_ids, min(self.k, merged.shape[1]))
        self.found.ids[rows], self.found.scores[rows] = best_ids, best

    def _narrow(
        self, proposed: torch.Tensor, products: Matrix, count: int
    ) -> tuple[torch.Tensor, Vector]:
        """Return the best of the proposed by float32, and the best score of the others."""
        if self.bias is not None:
            products = products + self.bias[proposed.clamp(max=len(self.candidates) - 1)]
        best = products.topk(count + 1, dim=1)
        return proposed.gather(1, best.indices[:, :count]), best.values[:, count]

    def _rescore(
        self,
        queries: Matrix,
        rows: torch.Tensor,
        proposed: torch.Tensor,
        gathered: Matrix,
        gathered64: Matrix,
    ) -> torch.Tensor:
        """Return exact scores of the proposed candidates; minus infinity for padding.

        The last two are buffers for the vectors of all proposed candidates.
        """
        real = proposed < len(self.candidates)
        safe = torch.where(real, proposed, 0)
        gathered = gathered[: safe.numel()]
        torch.index_select(self.candidates, 0, safe.flatten(), out=gathered)
        precise = gathered64[: safe.numel()].copy_(gathered).view(*safe.shape, -1)
        scores = torch.bmm(precise, queries.double().unsqueeze(2)).squeeze(2)
        return self._biased(scores, rows, safe).masked_fill_(~real, -torch.inf)

    def _biased(self, scores: torch.Tensor, rows: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Add both biases in float64, then round."""
        if self.bias is not None:
            scores += self.bias[ids]
        if self.query_bias is not None:
            scores += self.query_bias[rows, None]
        return scores.float()


class _Workspace:
    """Buffers reused by all blocks: allocating new ones would take as long as the product."""

    def __init__(self, product: Product, search: _Search, wanted: int) -> None:
        dim, device = search.queries.shape[1], search.queries.device
        self.proposed = min(search.k + product.surplus(search.k), product.width - 1)
        self.count = min(search.k + search.pool.float32.surplus(search.k), self.proposed)
        if not product.is_coarse:
            self.count = self.proposed
        row_bytes = product.width * product.dtype.itemsize + self.count * dim * 12
        self.rows = max(1, min(wanted, _ROWS_AT_ONCE, search.memory // row_bytes))
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
