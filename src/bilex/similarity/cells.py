"""Approximate search in large vocabularies: words are compared if they have a cell in common.

Cells are the surroundings of centers (an inverted file). Each vector, query or candidate, is in the
cells of its nearest centers. All queries of a cell are multiplied with all its candidates at once,
so the work is matrix products, as in an exact search, but of a few percent of the pairs.

Two languages need common centers. If words of one language are in clear groups and those of the
other are not, centers from the first find far more of the best pairs, in both directions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from bilex.similarity.grid import Grid
from bilex.similarity.selection import padded_width, select
from bilex.values import Compute, Matrix

FEWEST = 4_096
"""Candidates; fewer are searched exactly."""

_CENTERS = 8  # times the square root of the number of words
_FEWEST_EACH = 8  # words for each center
_CELLS_EACH = 16  # of each vector
_SHARE_OF_CELL = 4  # of all proposals for a query, one in so many may be from the same cell
_SAMPLE, _ROUNDS = 16, 4  # training of centers: vectors for each, and rounds
_LOWEST = -(2**15)  # key of no candidate
_STEP = 128  # rows of products are multiples of it: torch prepares each new shape for milliseconds
_ROWS_AT_ONCE = 4_096
_QUERIES_AT_ONCE = 2**18  # enough for full speed of the products in cells


class Centers(NamedTuple):
    """Centers of cells, unit rows."""

    rows: Matrix
    fit: float
    """Mean cosine of words to their nearest center."""

    @classmethod
    def of(cls, words: Matrix, largest: int | None = None) -> Centers:
        """Train centers by k-means on the sphere, on a sample of words.

        Args:
            words: (n, dim).
            largest: Number of words to search, if not n; the number of centers depends on it.
        """
        count = int(min(_CENTERS * math.sqrt(largest or len(words)), 1 + len(words) / _FEWEST_EACH))
        rng = torch.Generator().manual_seed(0)
        sample = torch.randperm(len(words), generator=rng)[: _SAMPLE * count].to(words.device)
        words = torch.nn.functional.normalize(words[sample])
        grid = Grid.of(words)
        levels, rounded = grid.levels(words).double(), grid.rounded(words)
        centers = words[:count]
        for _ in range(_ROUNDS):
            nearest = _nearest(rounded, centers, 1).squeeze(1)
            sums = torch.zeros_like(centers, dtype=torch.float64).index_add_(0, nearest, levels)
            lost = sums.abs().sum(1) == 0
            sums[lost] = centers[lost].double()
            centers = torch.nn.functional.normalize(sums).float()
        nearest = _nearest(rounded, centers, 1).squeeze(1)
        return cls(centers, float((words * centers[nearest]).sum(1).double().mean()))

    @classmethod
    def common(cls, source: Matrix, target: Matrix) -> Centers:
        """Return centers for both languages: of the one whose words are nearer to theirs."""
        largest = max(len(source), len(target))
        both = (cls.of(words, largest) for words in (source, target))
        return max(both, key=lambda centers: centers.fit)


class Cells:
    """Candidates in the cells of their nearest centers.

    Args:
        candidates: (m, dim), `FEWEST` rows or more.
        centers: Of the cells.
        compute: Memory that a search may use.
    """

    def __init__(self, candidates: Matrix, centers: Centers, compute: Compute) -> None:
        self._n, self._memory, self._centers = len(candidates), compute.memory, centers.rows
        self._nothing = (_LOWEST << 32) | self._n
        self._grid = Grid.of(candidates)
        blank = candidates.new_zeros(1, candidates.shape[1])  # the row of padding
        rows = [*torch.split(candidates, _ROWS_AT_ONCE), blank]
        self._rows = torch.cat([self._grid.rounded(some) for some in rows])
        own = _nearest(self._rows[:-1], self._centers, _CELLS_EACH)
        slots, counts = _by_cell(own, len(self._centers))
        self._members = torch.split(slots // own.shape[1], counts)

    def propose(self, queries: Matrix, count: int) -> torch.Tensor:
        """Return candidates with which queries have a cell in common, the nearest ones.

        Returns:
            (n_queries, count), int32, in no order; padding is the number of candidates.
        """
        best = -(-count // _SHARE_OF_CELL)
        at_once = max(_ROWS_AT_ONCE, min(_QUERIES_AT_ONCE, self._memory // (64 * 4 * count)))
        return torch.cat(
            [self._near(block, best, count) for block in torch.split(queries, at_once)]
        )

    def _near(self, queries: Matrix, best: int, count: int) -> torch.Tensor:
        found = self._scan(Grid.of_each(queries).rounded(queries), best)
        blocks = torch.split(found, _ROWS_AT_ONCE)
        return torch.cat([_best_distinct(block, count, self._nothing) for block in blocks])

    def _scan(self, queries: torch.Tensor, best: int) -> torch.Tensor:
        """Multiply each cell with all its queries, and return the best candidates in each cell.

        Returns:
            (n_queries, cells of each * best): the key of a candidate in the high half, its number
            in the low half.
        """
        own = _nearest(queries, self._centers, _CELLS_EACH)
        found = torch.full((own.numel(), best), self._nothing, device=own.device)
        slots, counts = _by_cell(own, len(self._centers))
        for asking, members in zip(torch.split(slots, counts), self._members, strict=True):
            if not len(asking) or not len(members):
                continue
            columns = _padded(members, max(len(members), best + 1), self._n)
            rows = self._rows[columns]
            fitting = self._memory // (8 * len(columns)) // _STEP * _STEP
            for some in torch.split(asking, max(_STEP, min(_ROWS_AT_ONCE, fitting))):
                known = _padded(some, len(some), 0) // own.shape[1]
                keys = self._grid.keys(queries[known], rows)[: len(some)]
                chosen = select(keys, best)[0]
                found[some] = _packed(keys.gather(1, chosen), columns[chosen])
        return found.view(len(queries), -1)


def _padded(ids: torch.Tensor, length: int, value: int) -> torch.Tensor:
    """Extend ids to at least this length, a multiple of `_STEP`."""
    return torch.nn.functional.pad(ids, (0, length + -length % _STEP - len(ids)), value=value)


def _nearest(rounded: torch.Tensor, centers: Matrix, count: int) -> torch.Tensor:
    """Return the centers nearest to each row, (n, count)."""
    count = min(count, len(centers))
    grid = Grid.of(centers)
    columns = grid.rounded(centers)
    blank = padded_width(len(centers)) - len(centers)
    found = []
    for rows in torch.split(rounded, _ROWS_AT_ONCE):
        keys = grid.keys(rows, columns)
        if count == 1:
            found.append(keys.argmax(1, keepdim=True))
        else:
            found.append(select(torch.nn.functional.pad(keys, (0, blank), value=_LOWEST), count)[0])
    return torch.cat(found)


def _by_cell(own: torch.Tensor, n_cells: int) -> tuple[torch.Tensor, list[int]]:
    """Return the positions of `own` in the order of cells, and the number in each cell."""
    cells = own.flatten()
    return cells.argsort(stable=True), torch.bincount(cells, minlength=n_cells).tolist()


def _packed(keys: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return (keys.long() << 32) | ids


def _best_distinct(found: torch.Tensor, count: int, nothing: int) -> torch.Tensor:
    """Return the candidates with the largest keys in each row, each once."""
    found = found.sort(dim=1, descending=True).values  # the same wherever a candidate was found
    found[:, 1:].masked_fill_(found[:, 1:] == found[:, :-1], nothing)
    if found.shape[1] > count:
        found = found.topk(count, dim=1, sorted=False).values
    found = torch.nn.functional.pad(found, (0, count - found.shape[1]), value=nothing)
    return (found & 0xFFFF_FFFF).int()
