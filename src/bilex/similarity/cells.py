"""Approximate search in large vocabularies: only the cells of candidates near a query are scanned.

Candidates are grouped around centers (an inverted file). Each is in two cells: the nearest, and a
second one whose center lies in another direction from it (SOAR, Sun et al., 2023), so that a query
that misses one is likely to scan the other. All queries that scan a cell are multiplied with it at
once, so the work is matrix products, as in an exact search.

Vectors are rounded to small integers. Their products are exact in any order of summation, so what
is found depends neither on the number of threads nor on which queries are searched together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from bilex.similarity.hardware import fast_int8
from bilex.similarity.products import INT8_STEP, products_at
from bilex.similarity.selection import GROUP, padded_width, select
from bilex.values import Compute, Matrix, Vector

FEWEST = 4_096
"""Candidates; fewer are searched exactly."""

_PER_CENTER = 64  # candidates, each of which is in two cells
_WIDTH = 128  # most candidates in a cell; larger cells are divided
_CHUNK = 16  # candidates of a cell whose maximum is taken in one pass
_SHARE, _FEWEST_CELLS = 0.045, 192  # of all cells, scanned for each query
_SAMPLED_CELLS = 2_048  # by which the threshold of a query is estimated
_SPREADS = 3  # a cell is as near as its mean plus this many standard deviations
_CHOICES = 16  # nearest centers among which the second cell of a candidate is chosen
_SAMPLE, _ROUNDS = 8, 4  # training of the centers: candidates for each center, and rounds
_LARGEST = 127
_SHIFT = 8  # bits by which scores are shortened to 16
_LOWEST = -(2**15)
_EXACT = 2**24  # float32 represents all integers up to this one
_ROWS_AT_ONCE = 8_192


class Cells:
    """Candidates grouped in cells.

    Args:
        candidates: (m, dim), `FEWEST` rows or more.
        compute: Memory that a search may use.
    """

    def __init__(self, candidates: Matrix, compute: Compute) -> None:
        self._n, self._memory = len(candidates), compute.memory
        self._grid = _Grid.of(candidates)
        centers = _train_centers(candidates, self._grid)
        both = _two_cells(candidates, centers, self._grid)
        self._ids, self._filled = _layout(both, len(centers))
        self._rows = candidates.new_empty(
            *self._ids.shape, self._grid.width(candidates.shape[1]), dtype=self._grid.dtype
        )
        shape = len(self._ids), candidates.shape[1]
        means, spreads = candidates.new_empty(shape), candidates.new_empty(shape[0])
        for cells in torch.split(torch.arange(len(self._ids), device=candidates.device), 256):
            members = candidates[self._ids[cells].clamp(max=self._n - 1)]
            real = (self._ids[cells] < self._n)[..., None]
            rounded = self._grid.levels(members).mul_(real)
            self._rows[cells] = self._grid.typed(rounded.flatten(0, 1)).view_as(self._rows[cells])
            count = real.sum(1)
            means[cells] = rounded.sum(1) / count
            lengths = rounded.square().sum((1, 2)) / count[:, 0]
            rest = (lengths - means[cells].square().sum(1)).clamp(min=0)
            spreads[cells] = (rest / candidates.shape[1]).sqrt()
        self._means = means.round_()
        self._spreads = spreads
        self._share = min(1.0, max(_SHARE, _FEWEST_CELLS / len(self._ids)))

    def propose(self, queries: Matrix, count: int) -> torch.Tensor:
        """Return at least `count` different candidates near each query, if it scans so many.

        Returns:
            (n_queries, 2 * count), in no order; padding is the number of candidates.
        """
        scanned = 2 * self._share * len(self._ids) * _WIDTH * 2
        at_once = int(self._memory / (scanned + 8 * len(self._ids)))
        blocks = torch.split(queries, max(32, min(_ROWS_AT_ONCE, at_once)))
        return torch.cat([self._near(block, count) for block in blocks])

    def _near(self, queries: Matrix, count: int) -> torch.Tensor:
        levels = _Grid.of_each(queries).levels(queries)
        scan = self._scan(self._grid.typed(levels), self._probes(levels))
        return self._best(scan, len(queries), count)

    def _probes(self, levels: Matrix) -> torch.Tensor:
        """Choose the cells to scan: (n_queries, n_cells) of booleans."""
        means = self._grid.typed(self._means)
        near = self._grid.product(self._grid.typed(levels), means).float()
        lengths = levels.square().sum(1).sqrt()
        near += _SPREADS * lengths[:, None] * self._spreads
        step = max(1, len(self._means) // _SAMPLED_CELLS)
        sample = near[:, ::step]
        last = sample.topk(max(1, math.ceil(self._share * sample.shape[1])), dim=1).values[:, -1:]
        return near >= last

    def _scan(self, queries: torch.Tensor, probes: torch.Tensor) -> _Scan:
        """Multiply each cell with all queries that scan it."""
        cells, asking = probes.T.contiguous().nonzero().unbind(1)  # in the order of cells
        scores = queries.new_empty(len(cells), _WIDTH, dtype=torch.int16)
        counts = torch.bincount(cells, minlength=len(self._ids))
        filled = self._filled.tolist()
        first = 0
        for cell, number in enumerate(counts.tolist()):
            if number:
                last, width = first + number, filled[cell]
                some = queries.index_select(0, asking[first:last])
                scores[first:last, :width] = self._grid.shortened(some, self._rows[cell, :width])
                first = last
        return _Scan(cells, asking, scores)

    def _best(self, scan: _Scan, n_queries: int, count: int) -> torch.Tensor:
        """Return the candidates with the best scores of each query.

        The best scores are in the chunks with the largest maxima, as many as scores are wanted.
        """
        chunks, slots = _WIDTH // _CHUNK, 2 * count  # a candidate may be there twice
        highest = scan.scores.view(-1, chunks, _CHUNK).amax(2)
        columns = torch.arange(0, _WIDTH, _CHUNK, device=highest.device)
        highest.masked_fill_(columns >= self._filled[scan.cells, None], _LOWEST)
        scans, real = _by_query(scan.queries, n_queries, 1 + slots // chunks)  # (n_queries, most)
        keys = highest[scans].masked_fill_(~real[..., None], _LOWEST).flatten(1)
        best = select(keys, slots)[0]
        nothing = keys.gather(1, best) == _LOWEST
        chunk = scans.gather(1, best // chunks) * chunks + best % chunks  # (n_queries, slots)
        scores = scan.scores.view(-1, _CHUNK)[chunk].masked_fill_(nothing[..., None], _LOWEST)
        top, place = scores.flatten(1).topk(slots, dim=1)
        chunk = chunk.gather(1, place // _CHUNK)
        column = chunk % chunks * _CHUNK + place % _CHUNK
        ids = self._ids[scan.cells[chunk // chunks], column]
        return _without_repeats(ids.masked_fill_(top == _LOWEST, self._n), self._n)


class _Scan(NamedTuple):
    """Scores of queries in cells: a row for each pair of a cell and a query, in order of cells."""

    cells: torch.Tensor
    queries: torch.Tensor
    scores: torch.Tensor  # (n_pairs, _WIDTH)


class _Grid(NamedTuple):
    """Rounds vectors to integers, and multiplies them in the fastest type that has no error."""

    scale: Vector | float
    largest: int
    dtype: torch.dtype

    @classmethod
    def of(cls, rows: Matrix) -> _Grid:
        """Return one grid for all rows."""
        return cls(max(float(rows.abs().max()), 1e-30), *_type_for(rows))

    @classmethod
    def of_each(cls, rows: Matrix) -> _Grid:
        """Return a grid with another scale for each row."""
        return cls(rows.abs().amax(1, keepdim=True).clamp(min=1e-30), *_type_for(rows))

    def width(self, dim: int) -> int:
        """Return the number of coordinates after padding."""
        return dim + -dim % INT8_STEP

    def levels(self, rows: Matrix) -> Matrix:
        """Return the rows as integers, in float32."""
        return (rows * (self.largest / self.scale)).round_()

    def typed(self, levels: Matrix) -> torch.Tensor:
        """Return integers in the type of products, with padding."""
        return torch.nn.functional.pad(levels, (0, -levels.shape[1] % INT8_STEP)).to(self.dtype)

    def product(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return the products of all rows of both."""
        if self.dtype == torch.int8:
            return torch._int_mm(left, right.T)
        return torch.mm(left, right.T)

    def shortened(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return the products without their last bits, so that they fit into 16."""
        products = self.product(left, right)
        if self.dtype == torch.int8:
            return products.bitwise_right_shift_(_SHIFT)
        return products.div_(2**_SHIFT).floor_()


def _type_for(rows: Matrix) -> tuple[int, torch.dtype]:
    """Return the largest integer whose products can be summed exactly, and the fastest type."""
    largest = min(_LARGEST, math.isqrt(_EXACT // rows.shape[1]))
    return largest, torch.int8 if fast_int8(rows.device) else torch.float32


def _train_centers(candidates: Matrix, grid: _Grid) -> Matrix:
    """Return unit centers by k-means on the sphere, from evenly spaced candidates."""
    n_centers = len(candidates) // _PER_CENTER
    step = max(1, len(candidates) // (n_centers * _SAMPLE))
    levels = grid.levels(candidates[::step])
    typed = grid.typed(levels)
    centers = levels[:: len(levels) // n_centers][:n_centers]
    for _ in range(_ROUNDS):
        own = _Grid.of_each(centers)
        rounded = own.typed(own.levels(centers))
        nearest = [
            grid.product(rows, rounded).argmax(1) for rows in torch.split(typed, _ROWS_AT_ONCE)
        ]
        sums = torch.zeros_like(centers, dtype=torch.float64)
        sums.index_add_(0, torch.cat(nearest), levels.double())
        lost = sums.abs().sum(1) == 0
        sums[lost] = centers[lost].double()
        centers = torch.nn.functional.normalize(sums).float()
    return centers


def _two_cells(candidates: Matrix, centers: Matrix, grid: _Grid) -> torch.Tensor:
    """Return two centers for each candidate, (m, 2).

    With r the difference of a candidate and its nearest center, the second center minimizes
    |r'|² + (r'·r/|r|)²: near, and not in the direction of the first.
    """
    own = _Grid.of_each(centers)
    typed = own.typed(own.levels(centers))
    both = []
    choices = min(_CHOICES, len(centers) - 1)
    blank = padded_width(len(centers)) - len(centers)
    for rows in torch.split(candidates, _ROWS_AT_ONCE):
        keys = grid.product(grid.typed(grid.levels(rows)), typed)
        near = select(torch.nn.functional.pad(keys, (0, blank), value=-_EXACT), choices)[0]
        unit = torch.nn.functional.normalize(rows)
        cosines = products_at(unit, centers, near)
        between = products_at(centers[near[:, 0]], centers, near)
        first = (1 - cosines[:, :1]).clamp_(min=1e-6)  # |r|² / 2
        along = 1 - cosines - cosines[:, :1] + between  # r'·r
        loss = 2 - 2 * cosines + along.square() / (2 * first)
        second = near.gather(1, 1 + loss[:, 1:].argmin(1, keepdim=True))
        both.append(torch.cat([near[:, :1], second], dim=1))
    return torch.cat(both)


def _layout(both: torch.Tensor, n_centers: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the candidates of each cell, and how many columns of each cell are filled.

    Cells with more than `_WIDTH` candidates are divided. Padding is the number of candidates.
    """
    n = len(both)
    center, order = both.flatten().sort(stable=True)
    sizes = torch.bincount(center, minlength=n_centers)
    cells = (sizes + _WIDTH - 1) // _WIDTH
    place = torch.arange(len(center), device=both.device) - (sizes.cumsum(0) - sizes)[center]
    each = (sizes + cells - 1) // cells.clamp(min=1)  # candidates of each part, about equal
    cell = (cells.cumsum(0) - cells)[center] + place // each[center]
    column = place % each[center]
    ids = torch.full((int(cells.sum()), _WIDTH), n, dtype=torch.long, device=both.device)
    ids[cell, column] = order // 2
    filled = (ids < n).sum(1)
    return ids, -(-filled // _CHUNK) * _CHUNK


def _by_query(
    queries: torch.Tensor, n_queries: int, fewest: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the positions of each query, (n_queries, `fewest` or more), and which are real."""
    order = queries.argsort(stable=True)
    counts = torch.bincount(queries, minlength=n_queries)
    most = max(fewest, int(counts.max()))
    columns = torch.arange(-(-most // GROUP**2) * GROUP**2, device=queries.device)
    places = (counts.cumsum(0) - counts)[:, None] + columns
    return order[places.clamp_(max=len(order) - 1)], columns < counts[:, None]


def _without_repeats(ids: torch.Tensor, padding: int) -> torch.Tensor:
    """Sort the ids of each row, and replace repeated ones by padding."""
    ids = ids.sort(dim=1).values
    repeated = torch.zeros_like(ids, dtype=torch.bool)
    repeated[:, 1:] = ids[:, 1:] == ids[:, :-1]
    return ids.masked_fill_(repeated, padding)
