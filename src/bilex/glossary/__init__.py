"""The terms of a dictionary that occur in a text, as data or as part of a prompt."""

from __future__ import annotations

from bilex.glossary.entries import entries_by_term
from bilex.glossary.glossary import Glossary, GlossaryTerm, make_glossary
from bilex.glossary.index import How, Match, TermIndex

__all__ = [
    "Glossary",
    "GlossaryTerm",
    "How",
    "Match",
    "TermIndex",
    "entries_by_term",
    "make_glossary",
]
