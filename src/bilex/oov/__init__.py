"""Words outside the vocabulary: a chain of resolvers, each with its own method."""

from __future__ import annotations

from bilex.oov.composition import Composition
from bilex.oov.renaming import AnyCase, Lemmas
from bilex.oov.resolvers import choose_resolvers
from bilex.oov.subwords import Subwords, agreement
from bilex.oov.vocabulary import ResolvedWord, Vocabulary, WordResolver

__all__ = [
    "AnyCase",
    "Composition",
    "Lemmas",
    "ResolvedWord",
    "Subwords",
    "Vocabulary",
    "WordResolver",
    "agreement",
    "choose_resolvers",
]
