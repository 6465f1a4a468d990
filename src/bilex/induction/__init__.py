"""The dictionary of a whole vocabulary: made, cut and drawn."""

from bilex.induction.induced_dictionary import InducedDictionary, induce, no_probabilities

__all__ = ["InducedDictionary", "induce", "no_probabilities"]
