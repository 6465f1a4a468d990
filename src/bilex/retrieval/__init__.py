"""Ways to rank the candidates of a word in an aligned pair of spaces."""

from bilex.retrieval.csls import Csls
from bilex.retrieval.nearest import Nearest

__all__ = ["Csls", "Nearest"]
