"""Steps that learn a map from pairs of words."""

from bilex.alignment.supervised.procrustes import Procrustes, SeedSpan
from bilex.alignment.supervised.rcsls import Rcsls, RcslsDescent

__all__ = ["Procrustes", "Rcsls", "RcslsDescent", "SeedSpan"]
