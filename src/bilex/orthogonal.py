"""The projection onto rotations: the one place it is written."""

from __future__ import annotations

import torch

from bilex.values import Matrix


def nearest_semi_orthogonal(matrix: Matrix) -> Matrix:
    """Return the closest matrix whose rows or columns, whichever are fewer, are orthonormal.

    UVᵀ from the singular value decomposition (Schönemann, 1966), in float64 whatever the type
    of the matrix, which the result keeps. Of all semi-orthogonal matrices it has the largest
    inner product with the given one. A matrix without full rank has many closest ones; this
    returns one of them.

    Example:
        >>> import torch
        >>> nearest_semi_orthogonal(torch.tensor([[0.0, 3.0], [-2.0, 0.0]])).tolist()
        [[0.0, 1.0], [-1.0, 0.0]]
    """
    u, _, vt = torch.linalg.svd(matrix.double(), full_matrices=False)
    rotation: Matrix = u @ vt
    return rotation.to(matrix.dtype)


def clip_spectrum(matrix: Matrix) -> Matrix:
    """Return the nearest matrix whose singular values are at most 1."""
    u, values, vt = torch.linalg.svd(matrix.double(), full_matrices=False)
    clipped: Matrix = (u * values.clamp(max=1)) @ vt
    return clipped.to(matrix.dtype)
