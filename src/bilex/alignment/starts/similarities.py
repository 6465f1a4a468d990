"""Similarities within one language, on a common scale."""

from __future__ import annotations

import torch

from bilex.values import Matrix


def on_common_scale(vectors: Matrix) -> Matrix:
    """Scale vectors so that their inner products XXᵀ have a root mean square of 1.

    XXᵀ, (n, n), is not computed: its norm equals that of XᵀX, (dim, dim).
    """
    size = torch.linalg.matrix_norm(vectors.T @ vectors) / len(vectors)
    return vectors / size.sqrt() if bool(size > 0) else vectors
