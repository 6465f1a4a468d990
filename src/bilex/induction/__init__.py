"""The dictionary of a whole vocabulary: made, cut and drawn."""

from bilex.induction.induced_dictionary import InducedDictionary, induce

__all__ = ["InducedDictionary", "induce"]
