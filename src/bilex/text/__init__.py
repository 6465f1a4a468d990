"""Word vectors from plain text, and example sentences of words.

torch and gensim are imported only when vectors are trained.
"""

from __future__ import annotations

from bilex.text.cached import space_of_text
from bilex.text.corpus import Corpus
from bilex.text.detection import is_text
from bilex.text.index import Example, TextIndex
from bilex.text.settings import VectorSettings
from bilex.text.training import TextVectors, train_on_text, train_vectors
from bilex.text.two_texts import train_on_two_texts

__all__ = [
    "Corpus",
    "Example",
    "TextIndex",
    "TextVectors",
    "VectorSettings",
    "is_text",
    "space_of_text",
    "train_on_text",
    "train_on_two_texts",
    "train_vectors",
]
