"""Strategies: combine steps into one training run."""

from bilex.alignment.strategies.bootstrap import Bootstrap
from bilex.alignment.strategies.cyclic import Cyclic
from bilex.alignment.strategies.parallel import Parallel
from bilex.alignment.strategies.single import Single

__all__ = ["Bootstrap", "Cyclic", "Parallel", "Single"]
