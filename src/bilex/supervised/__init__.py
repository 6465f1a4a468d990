"""Steps that learn a map from pairs of words."""

from bilex.supervised.procrustes import Procrustes

__all__ = ["Procrustes"]
