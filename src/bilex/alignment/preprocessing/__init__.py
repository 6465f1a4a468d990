"""Normalizing the vectors of one space, in a way that can be repeated for a new word."""

from bilex.alignment.preprocessing.normalize import Center, UnitLength
from bilex.alignment.preprocessing.pipeline import Pipeline

__all__ = ["Center", "Pipeline", "UnitLength"]
