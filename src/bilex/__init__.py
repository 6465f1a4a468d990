"""From two word-embedding files and a few seed pairs to a bilingual lexicon you can trust."""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.embeddings import load_embeddings, save_embeddings
    from bilex.errors import BilexError
    from bilex.evaluation import evaluate
    from bilex.export import read_dictionary, write_dictionary
    from bilex.inducer import LexiconInducer
    from bilex.lexicons import read_lexicon, write_lexicon
    from bilex.values import EmbeddingSpace, Lexicon, Translation

__version__ = "0.1.0.dev0"

__all__ = [
    "BilexError",
    "EmbeddingSpace",
    "Lexicon",
    "LexiconInducer",
    "Translation",
    "evaluate",
    "load_embeddings",
    "read_dictionary",
    "read_lexicon",
    "save_embeddings",
    "write_dictionary",
    "write_lexicon",
]

_HOMES = {
    "BilexError": "bilex.errors",
    "EmbeddingSpace": "bilex.values",
    "Lexicon": "bilex.values",
    "LexiconInducer": "bilex.inducer",
    "Translation": "bilex.values",
    "evaluate": "bilex.evaluation",
    "load_embeddings": "bilex.embeddings",
    "read_dictionary": "bilex.export",
    "read_lexicon": "bilex.lexicons",
    "save_embeddings": "bilex.embeddings",
    "write_dictionary": "bilex.export",
    "write_lexicon": "bilex.lexicons",
}

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: torch is heavy, `import bilex` is not."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bilex' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
