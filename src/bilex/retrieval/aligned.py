"""Two languages in one space: the vectors, normalization and map of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from bilex.protocols import Retriever, TwoWayIndex
from bilex.values import Compute, EmbeddingSpace, LinearMap, Matrix, Normalization


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
        return rows if self.mapping is None else self.mapping.apply(rows.double()).to(rows.dtype)


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


def for_drafts(retrieval: Retriever) -> Retriever:
    """Return a faster retriever for the maps of cross-fitting, if the plugin offers one."""
    faster = getattr(retrieval, "for_drafts", None)
    return retrieval if faster is None else faster()
