"""Lengths of word vectors, their common direction, and their spread over dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.values import EmbeddingSpace, Matrix, unit_rows

WORDS_LOOKED_AT = 20_000
"""Directions are measured on the most frequent words, which training uses."""

UNIT_TOLERANCE = 0.01
"""In files with few decimals, the lengths of unit vectors are not exactly 1."""


@dataclass(frozen=True)
class Geometry:
    """Lengths of all vectors; directions of the most frequent ones, scaled to unit length."""

    zero_vectors: int
    not_finite: int  # vectors with an infinite or undefined component
    shortest: float
    median: float
    longest: float
    unit_length: bool
    mean_vector_length: float  # 0: directions cancel out; 1: all directions are equal
    top_component_share: float  # of the variance
    effective_dimensions: float  # participation ratio of the variances


def measure_geometry(space: EmbeddingSpace) -> Geometry:
    """Measure lengths and directions; all zero for an empty space."""
    lengths = torch.linalg.vector_norm(space.vectors, dim=1)  # (n_words,)
    finite = lengths[torch.isfinite(lengths)]
    shortest, median, longest = (
        (float(finite.min()), float(finite.median()), float(finite.max()))
        if len(finite)
        else (0.0, 0.0, 0.0)
    )
    rows = unit_rows(usable_rows(space.vectors[:WORDS_LOOKED_AT])).double()  # (n_used, dim)
    mean = rows.mean(0) if len(rows) else torch.zeros(space.dim, dtype=torch.float64)
    variances = _variances(rows - mean)
    total = float(variances.sum())
    return Geometry(
        zero_vectors=int((lengths == 0).sum()),
        not_finite=len(lengths) - len(finite),
        shortest=shortest,
        median=median,
        longest=longest,
        unit_length=len(finite) > 0 and _is_one(shortest) and _is_one(longest),
        mean_vector_length=float(torch.linalg.vector_norm(mean)),
        top_component_share=float(variances.max()) / total if total else 0.0,
        effective_dimensions=total**2 / float((variances**2).sum()) if total else 0.0,
    )


def usable_rows(vectors: Matrix) -> Matrix:
    """Return the rows that are finite and not zero."""
    lengths = torch.linalg.vector_norm(vectors, dim=1)
    return vectors[torch.isfinite(lengths) & (lengths > 0)]


def normalized(vectors: Matrix, *, reference: Matrix | None = None) -> Matrix:
    """Return rows scaled to unit length, centered and scaled again, as training does by default.

    Args:
        vectors: The rows to normalize.
        reference: The rows whose mean is the center; `vectors` by default.
    """
    center = unit_rows(usable_rows(vectors if reference is None else reference))
    rows = unit_rows(vectors)
    return unit_rows(rows - center.mean(0)) if len(center) else rows


def _variances(centered: Matrix) -> torch.Tensor:
    """Return the variance along each principal direction; rounding errors count as zero."""
    if not centered.numel():
        return torch.zeros(1, dtype=torch.float64)
    variances = torch.linalg.eigvalsh(centered.T @ centered / len(centered))
    return torch.where(variances > 1e-12, variances, 0)


def _is_one(length: float) -> bool:
    return abs(length - 1) <= UNIT_TOLERANCE
