"""Ways to combine steps into one training run."""

from bilex.strategies.single import Single

__all__ = ["Single"]
