"""Translations of a model, and a table of them; torch, which is slow to import, is not needed."""

from bilex.answers.table import AnswerTable
from bilex.answers.translation import Candidate, Translation

__all__ = ["AnswerTable", "Candidate", "Translation"]
