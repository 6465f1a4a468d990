"""Check vectors and lexicons before training, and report problems and what to do about them."""

from __future__ import annotations

from bilex.inspection.difficulty import Difficulty
from bilex.inspection.geometry import Geometry
from bilex.inspection.hubness import Hubness
from bilex.inspection.pair import PairHealth, inspect_pair
from bilex.inspection.seeds import FrequencyBand, LexiconHealth, inspect_lexicon
from bilex.inspection.space import SpaceHealth, inspect_space
from bilex.inspection.word_shapes import WordShapes

__all__ = [
    "Difficulty",
    "FrequencyBand",
    "Geometry",
    "Hubness",
    "LexiconHealth",
    "PairHealth",
    "SpaceHealth",
    "WordShapes",
    "inspect_lexicon",
    "inspect_pair",
    "inspect_space",
]
