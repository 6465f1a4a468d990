"""Ways to combine steps into one training run."""

from bilex.strategies.bootstrap import Bootstrap
from bilex.strategies.cyclic import Cyclic
from bilex.strategies.parallel import Parallel
from bilex.strategies.single import Single

__all__ = ["Bootstrap", "Cyclic", "Parallel", "Single"]
