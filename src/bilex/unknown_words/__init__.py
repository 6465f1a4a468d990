"""Words outside the vocabulary: a chain of spellers, each with its own way to a vector."""

from __future__ import annotations

from bilex.unknown_words.composition import Composition
from bilex.unknown_words.renaming import AnyCase, Lemmas
from bilex.unknown_words.subwords import Subwords, agreement
from bilex.unknown_words.vocabulary import Speller, Spelling, Vocabulary

__all__ = [
    "AnyCase",
    "Composition",
    "Lemmas",
    "Speller",
    "Spelling",
    "Subwords",
    "Vocabulary",
    "agreement",
]
