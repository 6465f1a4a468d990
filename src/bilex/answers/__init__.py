"""The answers of a model, and a table of them; needs no torch, which takes long to import."""

from bilex.answers.table import AnswerTable
from bilex.answers.translation import Candidate, Translation

__all__ = ["AnswerTable", "Candidate", "Translation"]
