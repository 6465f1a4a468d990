"""Two languages in one space: the vectors, normalization and map of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import cast

import torch

from bilex.protocols import Retriever, SearchIndex, TwoWayIndex
from bilex.values import Compute, EmbeddingSpace, LinearMap, Matrix, Neighbors, Normalization

_ROWS_AT_ONCE = 65_536  # in float64


@dataclass(frozen=True, eq=False)
class Side:
    """One language: its normalized space, its normalization, and its map into the target space."""

    space: EmbeddingSpace
    normalization: Normalization
    mapping: LinearMap | None = None  # None if the rows are in the target space already

    def carry(self, rows: Matrix) -> Matrix:
        """Map normalized rows into the target space.

        Computed in float64 and then rounded, so that the result for a row does not depend on the
        other rows.
        """
        if self.mapping is None:
            return rows
        carried = rows.new_empty(len(rows), self.mapping.weight.shape[1])
        blocks = (torch.split(each, _ROWS_AT_ONCE) for each in (rows, carried))
        for some, found in zip(*blocks, strict=True):
            found[:] = self.mapping.apply(some.double())
        return carried


def build_index(
    retrieval: Retriever,
    source: Side,
    target: Side,
    *,
    compute: Compute,
    state: Mapping[str, torch.Tensor] | None = None,
) -> TwoWayIndex:
    """Index two languages for searches in both directions."""
    rows = [side.carry(side.space.vectors) for side in (source, target)]
    return retrieval.build(rows[0], rows[1], compute=compute, state=state)


class LazyIndex:
    """An index that is built by its first search: a model that keeps its answers may need none.

    Args:
        build: Returns the index; called once, also if several threads search.
    """

    def __init__(self, build: Callable[[], TwoWayIndex]) -> None:
        self._build: Callable[[], TwoWayIndex] | None = build
        self._lock = Lock()
        self._built: TwoWayIndex | None = None
        self.forward: SearchIndex = _LazySearch(lambda: self.built.forward)
        self.backward: SearchIndex = _LazySearch(lambda: self.built.backward)

    @property
    def built(self) -> TwoWayIndex:
        """Return the index itself."""
        with self._lock:
            if self._built is None and self._build is not None:
                self._built, self._build = self._build(), None
        assert self._built is not None  # noqa: S101
        return self._built

    def state(self) -> Mapping[str, torch.Tensor]:
        """Return the tensors of the index itself."""
        return self.built.state()


class _LazySearch:
    def __init__(self, index: Callable[[], SearchIndex]) -> None:
        self._index = index

    def search(self, queries: Matrix, *, k: int, rows: torch.Tensor | None = None) -> Neighbors:
        return self._index().search(queries, k=k, rows=rows)


def check_state(
    retrieval: Retriever, state: Mapping[str, torch.Tensor], source: int, target: int
) -> bool:
    """Check saved tensors without building an index, if the plugin can.

    Returns:
        Whether it can.

    Raises:
        KeyError, DimensionError: If one is missing or does not fit the numbers of words.
    """
    check = getattr(retrieval, "check_state", None)
    if check is not None:
        check(state, source, target)
    return check is not None


def for_drafts(retrieval: Retriever) -> Retriever:
    """Return a faster retriever for the maps of cross-fitting, if the plugin offers one."""
    faster = getattr(retrieval, "for_drafts", None)
    return retrieval if faster is None else faster()


def scores_at(
    index: SearchIndex, queries: Matrix, ids: torch.Tensor, *, rows: torch.Tensor
) -> Matrix | None:
    """Return the scores of queries with given candidates; None if the plugin does not offer it.

    Args:
        index: One direction of an index.
        queries: Mapped rows of known words.
        ids: The candidates of each query: (n_queries, k).
        rows: The row numbers of the queries in their vocabulary.
    """
    score = getattr(index, "scores_at", None)
    return None if score is None else cast(Matrix, score(queries, ids, rows=rows))
