"""Normalizing the vectors of one space, in a way that can be repeated for a new word."""

from bilex.preprocessing.normalize import Center, UnitLength
from bilex.preprocessing.pipeline import Pipeline

__all__ = ["Center", "Pipeline", "UnitLength"]
