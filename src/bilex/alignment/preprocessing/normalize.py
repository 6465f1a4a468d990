"""Unit length and centering, the usual preprocessing of alignment methods."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.values import Matrix, Normalization, NormalizationStep


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLength:
    """Scale each vector to length 1, so that inner products are cosines."""

    def learn(self, vectors: Matrix) -> Normalization:
        """Return the scaling; it does not depend on `vectors`."""
        return Normalization((NormalizationStep("unit"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Center:
    """Subtract the mean vector, which carries no information about single words."""

    def learn(self, vectors: Matrix) -> Normalization:
        """Return the shift by the mean of `vectors`."""
        if not len(vectors):
            return Normalization()
        mean = vectors.mean(dim=0, dtype=torch.float64).float()
        return Normalization((NormalizationStep("shift", -mean),))
