"""Approximate search in large vocabularies: words are compared if they have a cell in common.

Cells are the surroundings of centers (an inverted file). Each vector, query or candidate, is in the
cells of its nearest centers. All queries of a cell are multiplied with all its candidates at once,
so the work is matrix products, as in an exact search, but of a few percent of the pairs.

Two languages need common centers. If words of one language are in clear groups and those of the
other are not, centers from the first find far more of the best pairs, in both directions.
"""

from __future__ import annotations

import math

import torch

from bilex.similarity.grid import Grid
from bilex.similarity.selection import GROUP, padded_width, select
from bilex.values import Compute, Matrix

FEWEST = 4_096
"""Candidates; fewer are searched exactly."""

_CENTERS = 12  # times the square root of the number of words
_FEWEST_EACH = 16  # words for each center
_OWN_CELLS, _OTHER_CELLS = 16, 24  # of each word of the language of the centers, and of others
_SHARE_OF_CELL = 4  # of all proposals for a query, one in so many may be from the same cell
_SAMPLE, _ROUNDS = 8, 4  # training of centers: vectors for each, and rounds
_LOWEST = -(2**15)  # key of no candidate
_STEP = 128  # lengths of products are multiples of it: torch takes milliseconds for a new shape
_ROWS_AT_ONCE = 4_096
_QUERIES_AT_ONCE = 2**18  # enough for full speed of the products in cells


class Centers:
    """Centers of cells.

    Args:
        rows: Unit rows.
        language: The words of which they are centers.
        other: The words of the other language, if known.
    """

    def __init__(self, rows: Matrix, language: Matrix, other: Matrix | None = None) -> None:
        self.rows, self.language = rows, language
        self._kept_for = language, other  # both directions of a search need them
        self._kept: dict[int, torch.Tensor] = {}
        self._grid = Grid.of(rows)
        self._rounded = self._grid.rounded(rows)

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, words: Matrix) -> Centers:
        """Return centers of words that are searched."""
        return cls(_train(words, _number_of_centers(words))[0], words)

    @classmethod
    def common(cls, source: Matrix, target: Matrix) -> Centers:
        """Return centers for both languages: of the one whose words are nearer to theirs.

        Both are tried with equally many centers, because more would be nearer in any language.
        """
        count = _number_of_centers(source, target)
        (of_source, near_source), (of_target, near_target) = (
            _train(words, count) for words in (source, target)
        )
        if near_source >= near_target:
            return cls(of_source, source, target)
        return cls(of_target, target, source)

    def cells(self, words: Matrix, count: int) -> torch.Tensor:
        """Return the cells of each word, (n, count)."""
        for number, language in enumerate(self._kept_for):
            if words is language:
                if number not in self._kept:
                    self._kept[number] = self.nearest(words, count)
                return self._kept[number]
        return self.nearest(words, count)

    def nearest(self, words: Matrix, count: int) -> torch.Tensor:
        """Return the centers nearest to each word, (n, count)."""
        blank = padded_width(len(self)) - len(self)
        found = []
        for rows in torch.split(words, _ROWS_AT_ONCE):
            keys = self._grid.keys(Grid.of_each(rows).rounded(rows), self._rounded)
            if count == 1:
                found.append(keys.argmax(1, keepdim=True))
            else:
                keys = torch.nn.functional.pad(keys, (0, blank), value=_LOWEST)
                found.append(select(keys, min(count, len(self)))[0])
        return torch.cat(found)


def _number_of_centers(*languages: Matrix) -> int:
    sizes = [len(words) for words in languages]
    return int(min(_CENTERS * math.sqrt(max(sizes)), 1 + min(sizes) / _FEWEST_EACH))


def _train(words: Matrix, count: int) -> tuple[Matrix, float]:
    """Train centers by k-means on the sphere, on a sample of words.

    Returns:
        Centers, and the mean cosine of the sample to the nearest one.
    """
    rng = torch.Generator().manual_seed(0)
    sample = torch.randperm(len(words), generator=rng)[: _SAMPLE * count].to(words.device)
    words = torch.nn.functional.normalize(words[sample])
    levels = Grid.of(words).levels(words).double()  # whole numbers: sums are exact
    centers = words[:count]
    for _ in range(_ROUNDS):
        sums = torch.zeros_like(centers, dtype=torch.float64)
        sums.index_add_(0, Centers(centers, words).nearest(words, 1).squeeze(1), levels)
        lost = sums.abs().sum(1) == 0
        sums[lost] = centers[lost].double()
        centers = torch.nn.functional.normalize(sums).float()
    nearest = centers[Centers(centers, words).nearest(words, 1).squeeze(1)]
    return centers, float((words * nearest).sum(1).double().mean())


class Cells:
    """Candidates in the cells of their nearest centers.

    Args:
        candidates: (m, dim), `FEWEST` rows or more.
        centers: Of the cells.
        compute: Memory that a search may use.
    """

    def __init__(self, candidates: Matrix, centers: Centers, compute: Compute) -> None:
        self._n, self._memory, self._centers = len(candidates), compute.memory, centers
        self._nothing = (_LOWEST << 32) | self._n
        self._grid = Grid.of(candidates)
        blank = candidates.new_zeros(1, candidates.shape[1])  # the row of padding
        rows = [*torch.split(candidates, _ROWS_AT_ONCE), blank]
        self._rows = torch.cat([self._grid.rounded(some) for some in rows])
        owns_centers = candidates is centers.language
        self._cells_of_query = _OTHER_CELLS if owns_centers else _OWN_CELLS
        own = centers.cells(candidates, _OWN_CELLS if owns_centers else _OTHER_CELLS)
        self._members = {cell: slots // own.shape[1] for cell, slots in _by_cell(own).items()}

    def propose(self, queries: Matrix, count: int) -> torch.Tensor:
        """Return candidates with which queries have a cell in common, the nearest ones.

        Returns:
            (n_queries, count), int32, in no order; padding is the number of candidates.
        """
        best = -(-count // _SHARE_OF_CELL)
        at_once = max(_ROWS_AT_ONCE, min(_QUERIES_AT_ONCE, self._memory // (64 * 4 * count)))
        own = self._centers.cells(queries, self._cells_of_query)
        near = []
        for first in range(0, len(queries), at_once):
            some = queries[first : first + at_once]
            found = self._scan(Grid.of_each(some).rounded(some), own[first : first + at_once], best)
            parts = torch.split(found, _ROWS_AT_ONCE)
            near += [_best_distinct(part, count, self._nothing) for part in parts]
        return torch.cat(near)

    def _scan(self, queries: torch.Tensor, own: torch.Tensor, best: int) -> torch.Tensor:
        """Multiply each cell with all its queries, and return the best candidates in each cell.

        Returns:
            (n_queries, cells of each * best): the key of a candidate in the high half, its number
            in the low half.
        """
        found = torch.full((own.numel(), best), self._nothing, device=own.device)
        for cell, asking in _by_cell(own).items():
            if cell not in self._members:
                continue
            columns = _padded(self._members[cell], best + 1, self._n)
            rows = self._rows[columns]
            fitting = self._memory // (8 * len(columns)) // _STEP * _STEP
            for some in torch.split(asking, max(_STEP, min(_ROWS_AT_ONCE, fitting))):
                known = _padded(some, 1, 0) // own.shape[1]
                keys = self._grid.keys(queries[known], rows)[: len(some)]
                chosen = select(keys, best)[0]
                found[some] = _packed(keys.gather(1, chosen), columns[chosen])
        return found.view(len(queries), -1)


def _padded(ids: torch.Tensor, fewest: int, value: int) -> torch.Tensor:
    """Extend ids to one of few lengths, at least `fewest`."""
    length = max(len(ids), fewest)
    step = _STEP if length > _STEP // 2 else GROUP
    return torch.nn.functional.pad(ids, (0, length + -length % step - len(ids)), value=value)


def _by_cell(own: torch.Tensor) -> dict[int, torch.Tensor]:
    """Return the positions of each cell in `own`."""
    cells, order = own.flatten().sort(stable=True)
    present, counts = torch.unique_consecutive(cells, return_counts=True)
    return dict(zip(present.tolist(), torch.split(order, counts.tolist()), strict=True))


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
