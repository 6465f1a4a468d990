"""Operations on the singular values of a map."""

from __future__ import annotations

import torch

from bilex.values import Matrix

_ROUNDING = 1e-9  # smaller singular values, relative to the largest, are rounding errors


def nearest_semi_orthogonal(matrix: Matrix) -> Matrix:
    """Return the closest matrix whose rows or columns, whichever are fewer, are orthonormal.

    This is UVᵀ from the singular value decomposition (Schönemann, 1966), computed in float64 and
    returned in the type of the matrix. Of all semi-orthogonal matrices it has the largest inner
    product with the given one. A matrix without full rank has several closest ones; one of them is
    returned.

    Example:
        >>> import torch
        >>> nearest_semi_orthogonal(torch.tensor([[0.0, 3.0], [-2.0, 0.0]])).tolist()
        [[0.0, 1.0], [-1.0, 0.0]]
    """
    u, _, vt = torch.linalg.svd(matrix.double(), full_matrices=False)
    rotation: Matrix = u @ vt
    return rotation.to(matrix.dtype)


def raise_spectrum(matrix: Matrix, power: float) -> Matrix:
    """Divide the singular values of a matrix by the largest, and raise them to a power.

    Power 1 keeps their proportions; a smaller power makes them more equal. Zero singular values
    stay zero for any power.

    Example:
        >>> import torch
        >>> raise_spectrum(torch.tensor([[4.0, 0.0], [0.0, 1.0]]), 0.5).tolist()
        [[1.0, 0.0], [0.0, 0.5]]
    """
    u, values, vt = torch.linalg.svd(matrix.double(), full_matrices=False)
    shares = values / values[:1].clamp_min(torch.finfo(torch.float64).tiny)
    weights = torch.where(shares > _ROUNDING, shares**power, 0.0)
    raised: Matrix = (u * weights) @ vt
    return raised.to(matrix.dtype)


def clip_spectrum(matrix: Matrix) -> Matrix:
    """Return the nearest matrix whose singular values are at most 1."""
    u, values, vt = torch.linalg.svd(matrix.double(), full_matrices=False)
    clipped: Matrix = (u * values.clamp(max=1)) @ vt
    return clipped.to(matrix.dtype)
