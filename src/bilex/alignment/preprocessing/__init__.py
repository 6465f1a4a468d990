"""Normalize the vectors of one space; the same operations can be applied to new words."""

from bilex.alignment.preprocessing.normalize import Center, UnitLength
from bilex.alignment.preprocessing.pipeline import Pipeline

__all__ = ["Center", "Pipeline", "UnitLength"]
