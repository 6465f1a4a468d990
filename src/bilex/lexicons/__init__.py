"""Lexicons: read, write, sample, split; how much of one a vocabulary covers, and what leaks."""

from __future__ import annotations

from bilex.lexicons.coverage import Coverage, CoverageExamples, coverage
from bilex.lexicons.leakage import Leakage, leakage, without_leaks
from bilex.lexicons.read import LexiconReport, LoadedLexicon, read_lexicon
from bilex.lexicons.sampling import SampleSpec, parse_sample_spec, sample_lexicon
from bilex.lexicons.split import LexiconSplit, split_lexicon
from bilex.lexicons.write import write_lexicon

__all__ = [
    "Coverage",
    "CoverageExamples",
    "Leakage",
    "LexiconReport",
    "LexiconSplit",
    "LoadedLexicon",
    "SampleSpec",
    "coverage",
    "leakage",
    "parse_sample_spec",
    "read_lexicon",
    "sample_lexicon",
    "split_lexicon",
    "without_leaks",
    "write_lexicon",
]
