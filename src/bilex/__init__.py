"""Make a bilingual lexicon from two word-embedding files and a few seed pairs."""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from bilex.storage.version import __version__ as __version__

if TYPE_CHECKING:
    from pathlib import Path

    from bilex.answers import Translation
    from bilex.client import Client
    from bilex.embeddings import load_embeddings, save_embeddings
    from bilex.errors import BilexError, BilexWarning
    from bilex.evaluation import Evaluation, evaluate
    from bilex.inducer import LexiconInducer, fit
    from bilex.lexicons import read_dictionary, read_lexicon, write_dictionary, write_lexicon
    from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
    from bilex.model import TrainedModel
    from bilex.values import EmbeddingSpace, Lexicon

_HOMES = {
    "BilexError": "bilex.errors",
    "BilexWarning": "bilex.errors",
    "Client": "bilex.client",
    "Dictionary": "bilex.lexicons",
    "DictionaryEntry": "bilex.lexicons",
    "DictionaryMetadata": "bilex.lexicons",
    "EmbeddingSpace": "bilex.values",
    "Evaluation": "bilex.evaluation",
    "Lexicon": "bilex.values",
    "LexiconInducer": "bilex.inducer",
    "TrainedModel": "bilex.model",
    "Translation": "bilex.answers",
    "evaluate": "bilex.evaluation",
    "fit": "bilex.inducer",
    "load_embeddings": "bilex.embeddings",
    "read_dictionary": "bilex.lexicons",
    "read_lexicon": "bilex.lexicons",
    "save_embeddings": "bilex.embeddings",
    "write_dictionary": "bilex.lexicons",
    "write_lexicon": "bilex.lexicons",
}

__all__ = [
    "BilexError",
    "BilexWarning",
    "Client",
    "Dictionary",
    "DictionaryEntry",
    "DictionaryMetadata",
    "EmbeddingSpace",
    "Evaluation",
    "Lexicon",
    "LexiconInducer",
    "TrainedModel",
    "Translation",
    "evaluate",
    "fit",
    "load",
    "load_embeddings",
    "read_dictionary",
    "read_lexicon",
    "save_embeddings",
    "write_dictionary",
    "write_lexicon",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def load(folder: Path | str, *, device: str = "cpu") -> TrainedModel:
    """Read a model folder that `bilex fit` or `TrainedModel.save` wrote.

    Args:
        folder: The model folder. Loading runs no code from it.
        device: A torch device, such as "cpu" or "cuda".

    Raises:
        ModelFolderError: If a file is missing, damaged or does not match the others.
    """
    from bilex.model import TrainedModel

    return TrainedModel.load(folder, device=device)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, since torch takes long to import."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bilex' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
