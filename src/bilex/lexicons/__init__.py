"""Lexicons and dictionaries: read, write, sample, coverage by vocabularies, leakage."""

from __future__ import annotations

from bilex.lexicons.articles import without_articles
from bilex.lexicons.by_lemma import by_lemma
from bilex.lexicons.coverage import Coverage, CoverageExamples, coverage
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata, Origin
from bilex.lexicons.leakage import Leakage, leakage, without_leaks
from bilex.lexicons.matching import Matched, OtherCase, match_decisions, match_words
from bilex.lexicons.read import read_dictionary, read_lexicon
from bilex.lexicons.sampling import SampleSpec, parse_sample_spec, sample_lexicon
from bilex.lexicons.summary import summarize
from bilex.lexicons.write import write_dictionary, write_lexicon

__all__ = [
    "Coverage",
    "CoverageExamples",
    "Dictionary",
    "DictionaryEntry",
    "DictionaryMetadata",
    "Leakage",
    "Matched",
    "Origin",
    "OtherCase",
    "SampleSpec",
    "by_lemma",
    "coverage",
    "leakage",
    "match_decisions",
    "match_words",
    "parse_sample_spec",
    "read_dictionary",
    "read_lexicon",
    "sample_lexicon",
    "summarize",
    "without_articles",
    "without_leaks",
    "write_dictionary",
    "write_lexicon",
]
