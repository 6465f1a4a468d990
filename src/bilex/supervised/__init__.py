"""Steps that learn a map from pairs of words."""

from bilex.supervised.procrustes import Procrustes, SeedSpan
from bilex.supervised.rcsls import Rcsls, RcslsDescent

__all__ = ["Procrustes", "Rcsls", "RcslsDescent", "SeedSpan"]
