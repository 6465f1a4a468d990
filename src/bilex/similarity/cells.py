"""Approximate search in large vocabularies: words are compared if they have a cell in common.

Cells are the surroundings of centers (an inverted file). Each vector, query or candidate, is in the
cells of its nearest centers. All queries of a cell are multiplied with all its candidates at once,
so the work is matrix products, as in an exact search, but of a part of the pairs.

Blocks write their results into one tensor. Kept as they are, results would lie between the larger
temporary tensors of the blocks, whose memory could then not be used again.

Most products are small. The nearest cells of a query are searched first, and give a threshold. From
its other cells, only candidates above it are taken, and no cell has a limit of its own.

Two languages need common centers. If words of one language are in clear groups and those of the
other are not, centers from the first find far more of the best pairs, in both directions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy

import torch

from bilex.similarity.grid import Grid
from bilex.similarity.selection import GROUP, padded_width, select
from bilex.values import Compute, Matrix

FEWEST = 4_096
"""Candidates; fewer are searched exactly."""

_CENTERS = 12  # times the square root of the number of words
_FEWEST_EACH, _MOST_EACH = 16, 32  # words for each center
_CELLS = {True: 16, False: 40}  # of each word of the language of the centers, and of others
_MANY, _CELLS_OF_MANY = 500_000, {True: 12, False: 24}  # so many words have denser surroundings
_FIRST_CELLS = 3  # of a query: they are searched for a threshold, with which others are searched
_ROOM = 4  # times as many candidates as wanted: one is found in each common cell
_SAMPLE, _ROUNDS = 4, 4  # training of centers: vectors for each, and rounds
_TRIAL = 1_024  # centers of each language, to choose the one whose centers are used
_LOWEST = -(2**15)  # key of no candidate
_STEP = 64  # lengths of products are multiples of it: torch takes milliseconds for a new shape
_ROWS_AT_ONCE = 4_096
_TILE = 2**19  # products at once: they stay in the cache of a core
_WORDS, _PANEL = 128, 2_048  # words and centers that are multiplied at once


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
        self._of_target = False
        self._kept: dict[int, torch.Tensor] = {}
        self._grid = Grid.of(rows)
        padding = padded_width(len(rows)) - len(rows)
        self._rounded = torch.nn.functional.pad(self._grid.rounded(rows), (0, 0, 0, padding))

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, words: Matrix) -> Centers:
        """Return centers of words that are searched."""
        return cls(_train(words, number_of_centers(words)), words)

    @classmethod
    def common(cls, source: Matrix, target: Matrix) -> Centers:
        """Return centers for both languages: of the one whose words are nearer to theirs.

        Both are tried with equally many centers, because more would be nearer in any language.
        """
        count = number_of_centers(source, target)
        if _clearness(source, min(count, _TRIAL)) < _clearness(target, min(count, _TRIAL)):
            found = cls(_train(target, count), target, source)
            found._of_target = True
            return found
        return cls(_train(source, count), source, target)

    def moved(self, source: Matrix, target: Matrix) -> Centers:
        """Return the same centers, and the same cells of all words, under a similar map.

        Queries are in the cells that are nearest under the new map. Finding the cells of all words
        takes as long as a search for some ten thousand of them.
        """
        found = copy(self)
        languages = (target, source) if self._of_target else (source, target)
        found.language, found._kept_for = languages[0], languages
        return found

    def cells(self, words: Matrix, *, own: bool) -> torch.Tensor:
        """Return the cells of each word, nearest first.

        Args:
            words: (n, dim).
            own: Whether they are of the language of the centers.
        """
        sizes = [len(language) for language in self._kept_for if language is not None]
        count = (_CELLS if max(sizes) < _MANY else _CELLS_OF_MANY)[own]
        for number, language in enumerate(self._kept_for):
            if words is language:
                if number not in self._kept:
                    self._kept[number] = self.nearest(words, count)
                return self._kept[number]
        return self.nearest(words, count)

    def nearest(self, words: Matrix, count: int) -> torch.Tensor:
        """Return the centers nearest to each word, (n, count), int32, nearest first."""
        count = min(count, len(self))
        found = torch.empty((len(words), count), dtype=torch.int32, device=words.device)
        keys = words.new_empty((_WORDS, len(self._rounded)), dtype=torch.int16)
        for rows, best in _blocks(words, found, _WORDS):
            best[:] = self._nearest(Grid.of_each(rows).rounded(rows), count, keys[: len(rows)])
        return found

    def _nearest(self, rounded: torch.Tensor, count: int, keys: torch.Tensor) -> torch.Tensor:
        """Return the centers nearest to each word; overwrite `keys`, one for each center."""
        for some, of_some in _blocks(self._rounded, keys.T, _PANEL):
            of_some.T[:] = self._grid.keys(self._grid.products(rounded, some))
        keys[:, len(self) :] = _LOWEST
        return keys.argmax(1, keepdim=True) if count == 1 else select(keys, count)[0]


def number_of_centers(*languages: Matrix) -> int:
    """Return how many cells there are: as many products as this find the cells of one word."""
    fewest, most = (pick(len(words) for words in languages) for pick in (min, max))
    wanted = max(_CENTERS * math.sqrt(most), most / _MOST_EACH)
    return int(min(wanted, 1 + fewest / _FEWEST_EACH))


def _train(words: Matrix, count: int) -> Matrix:
    """Train centers by k-means on the sphere, on a sample of words."""
    words = _sample(words, count)
    grid = Grid.of(words)
    centers = words[:count]
    for _ in range(_ROUNDS):
        sums = torch.zeros_like(centers, dtype=torch.float64)
        for some, own in _blocks(words, _nearest_one(centers, words), _ROWS_AT_ONCE):
            sums.index_add_(0, own, grid.levels(some).double())  # whole numbers: sums are exact
        lost = sums.abs().sum(1) == 0
        sums[lost] = centers[lost].double()
        centers = torch.nn.functional.normalize(sums).float()
    return centers


def _clearness(words: Matrix, count: int) -> float:
    """Return the mean cosine of words to the nearest of so many centers."""
    centers, words = _train(words, count), _sample(words, count)
    return float((words * centers[_nearest_one(centers, words)]).sum(1).double().mean())


def _sample(words: Matrix, count: int) -> Matrix:
    """Return random words, as many as are needed to train centers."""
    rng = torch.Generator().manual_seed(0)
    chosen = torch.randperm(len(words), generator=rng)[: _SAMPLE * count].to(words.device)
    return torch.nn.functional.normalize(words[chosen])


def _nearest_one(centers: Matrix, words: Matrix) -> torch.Tensor:
    """Return the nearest center of each word."""
    return Centers(centers, words).nearest(words, 1).squeeze(1).long()


class Cells:
    """Candidates in the cells of their nearest centers.

    Args:
        candidates: (m, dim).
        centers: Of the cells.
        compute: Memory that a search may use.
    """

    def __init__(self, candidates: Matrix, centers: Centers, compute: Compute) -> None:
        self._n, self._memory, self._centers = len(candidates), compute.memory, centers
        self.nothing = (_LOWEST << 32) | self._n
        self._grid = Grid.of(candidates)
        self._rows = self._rounded(candidates)
        self._owns_centers = candidates is centers.language
        own = centers.cells(candidates, own=self._owns_centers)
        self._members = {cell: slots // own.shape[1] for cell, slots in _by_cell(own).items()}

    def _rounded(self, candidates: Matrix) -> torch.Tensor:
        """Return the candidates as integers, and a last row of zeros, which is padding."""
        like = self._grid.rounded(candidates[:1])
        found = like.new_zeros(self._n + 1, like.shape[1])
        for some, levels in _blocks(candidates, found[: self._n], _ROWS_AT_ONCE):
            levels[:] = self._grid.rounded(some)
        return found

    def propose(self, queries: Matrix, count: int) -> torch.Tensor:
        """Return candidates with which queries have a cell in common, the nearest ones.

        Returns:
            (n_queries, count), int32, nearest first; padding is the number of candidates.
        """
        at_once = max(_ROWS_AT_ONCE, self._memory // (12 * _ROOM * count))
        own = self._centers.cells(queries, own=not self._owns_centers)
        near = []
        for first in range(0, len(queries), at_once):
            some = queries[first : first + at_once]
            scan = _Scan(self, Grid.of_each(some).rounded(some), own[first : first + at_once])
            found = scan.nearest_cells(count)
            if own.shape[1] > _FIRST_CELLS:
                found = scan.other_cells(found, self._limits(found))
            near.append((found & 0xFFFF_FFFF).int())
        return torch.cat(near)

    def _limits(self, few: torch.Tensor) -> torch.Tensor:
        """Return less than the smallest key of each row; zero if less than half of it is filled."""
        real = few != self.nothing
        smallest = _keys(few).masked_fill(~real, 2**15 - 1).amin(1)
        return (smallest - 1).clamp_(min=0).masked_fill_(2 * real.sum(1) < few.shape[1], 0)

    def multiplied(
        self, queries: torch.Tensor, own: torch.Tensor, fewest: int
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Multiply the candidates of each cell with its queries.

        Args:
            queries: Rounded.
            own: Cells of each query.
            fewest: Candidates of a cell; fewer are padded.

        Yields:
            Positions in `own`, candidates, and the products of their queries with them.
        """
        for cell, asking in _by_cell(own).items():
            if cell not in self._members:
                continue
            columns = _padded(self._members[cell], fewest, self._n)
            rows = self._rows.index_select(0, columns)  # several times as fast as by brackets
            fitting = min(_TILE, self._memory // 8) // len(columns) // _STEP * _STEP
            for some in torch.split(asking, max(_STEP, fitting)):
                known = _padded(some, 1, 0) // own.shape[1]
                products = self._grid.products(queries.index_select(0, known), rows)
                yield some, columns, products[: len(some)]


class _Scan:
    """One search of cells.

    Candidates are integers: the key in the high half, the number in the low half.

    Args:
        cells: Of the candidates.
        queries: Rounded.
        own: Cells of each query, nearest first.
    """

    def __init__(self, cells: Cells, queries: torch.Tensor, own: torch.Tensor) -> None:
        self._cells, self._queries, self._own = cells, queries, own

    def nearest_cells(self, count: int) -> torch.Tensor:
        """Return the best candidates in the nearest cells of each query, best first."""
        own = self._own[:, :_FIRST_CELLS]
        found = torch.full((own.numel(), count), self._cells.nothing, device=own.device)
        for some, columns, products in self._cells.multiplied(self._queries, own, count + 1):
            keys = Grid.keys(products)
            chosen = select(keys, count)[0]
            found[some] = _packed(keys.gather(1, chosen), columns[chosen])
        return self._distinct(found.view(len(own), -1), count)

    def other_cells(self, known: torch.Tensor, limits: torch.Tensor) -> torch.Tensor:
        """Return the best of the known candidates and those in other cells of each query.

        Args:
            known: Candidates in the nearest cells of each query, best first.
            limits: Only candidates with larger keys are added.
        """
        own = self._own[:, _FIRST_CELLS:]
        each = own.shape[1]
        kept = _Kept(known, limits, self._cells.nothing)
        for some, columns, products in self._cells.multiplied(self._queries, own, GROUP):
            asking = some // each
            groups = products.view(len(some), GROUP, -1)
            limit = kept.limits.index_select(0, asking)
            row, group = (Grid.keys(groups.amax(1)) > limit[:, None]).nonzero(as_tuple=True)
            keys = Grid.keys(groups[row, :, group])  # (hits, GROUP)
            hit, slab = (keys > limit.index_select(0, row)[:, None]).nonzero(as_tuple=True)
            found = _packed(keys[hit, slab], columns[slab * groups.shape[2] + group[hit]])
            kept.add(asking, row[hit], found)
        return self._distinct(kept.table, known.shape[1])

    def _distinct(self, found: torch.Tensor, count: int) -> torch.Tensor:
        best = found.new_empty(len(found), count)
        for some, distinct in _blocks(found, best, _ROWS_AT_ONCE):
            distinct[:] = _best_distinct(some, count, self._cells.nothing)
        return best


class _Kept:
    """Candidates of each query that were found so far, in any order and more than once.

    Args:
        known: The first candidates of each query, best first. As many are never dropped.
        limits: Keys; only candidates above them are added. They rise.
        nothing: No candidate.
    """

    def __init__(self, known: torch.Tensor, limits: torch.Tensor, nothing: int) -> None:
        self.limits, self._count, self._nothing = limits, known.shape[1], nothing
        self._filled = (known != nothing).sum(1)
        self.table = known.new_full((len(known), _ROOM * self._count), nothing)
        self.table[:, : self._count] = known

    def add(self, queries: torch.Tensor, row: torch.Tensor, found: torch.Tensor) -> None:
        """Add candidates.

        Args:
            queries: Each once.
            row: Of each candidate, its query's position in `queries`; ascending.
            found: The candidates.
        """
        while len(row):
            row, found = self._add_fitting(queries, row, found)

    def _add_fitting(
        self, queries: torch.Tensor, row: torch.Tensor, found: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add candidates; return those for which there is no room yet."""
        room, left = self.table.shape[1], (row[:0], found[:0])
        counts = torch.bincount(row, minlength=len(queries))
        full = self._filled[queries] + counts > room
        has_full = bool(full.any())
        if has_full:
            self._drop(queries[full])
        before = self._filled[queries]
        place = torch.arange(len(row), device=row.device)
        place += (before - counts.cumsum(0) + counts).index_select(0, row)
        if has_full:
            fits = place < room
            left = row[~fits], found[~fits]
            row, found, place = row[fits], found[fits], place[fits]
        place += queries.index_select(0, row) * room
        self.table.view(-1).scatter_(0, place, found)
        self._filled[queries] = (before + counts).clamp_(max=room)
        return left

    def _drop(self, queries: torch.Tensor) -> None:
        """Keep the best candidates of these queries, each once."""
        best = _best_distinct(self.table[queries], self._count, self._nothing)
        self.table[queries] = torch.nn.functional.pad(
            best, (0, self.table.shape[1] - self._count), value=self._nothing
        )
        self._filled[queries] = (best != self._nothing).sum(1)
        self.limits[queries] = torch.maximum(self.limits[queries], _keys(best)[:, -1])


def _blocks(
    rows: torch.Tensor, results: torch.Tensor, at_once: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield blocks of rows, and the same rows of the results."""
    return zip(torch.split(rows, at_once), torch.split(results, at_once), strict=True)


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


def _keys(found: torch.Tensor) -> torch.Tensor:
    return (found >> 32).to(torch.int16)


def _best_distinct(found: torch.Tensor, count: int, nothing: int) -> torch.Tensor:
    """Return the candidates with the largest keys in each row, each once, best first."""
    found = found.sort(dim=1, descending=True).values  # the same wherever a candidate was found
    found[:, 1:].masked_fill_(found[:, 1:] == found[:, :-1], nothing)
    if found.shape[1] > count:
        return found.topk(count, dim=1).values
    found = found.sort(dim=1, descending=True).values
    return torch.nn.functional.pad(found, (0, count - found.shape[1]), value=nothing)
