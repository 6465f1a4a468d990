"""How alike two words look once both are in plain Latin letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from anyascii import anyascii
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein, Prefix

from bilex.values import EmbeddingSpace

_SPELLED: WeakKeyDictionary[EmbeddingSpace, list[str]] = WeakKeyDictionary()


def plain(word: str) -> str:
    """Return a word in lower-case Latin letters without accents, whatever its script.

    Example:
        >>> plain("Élève"), plain("борщ")
        ('eleve', 'borshch')
    """
    if word.isascii():
        return word.lower()
    # Composed: the marks of Japanese and Thai letters are no accents, and anyascii drops those.
    return anyascii(unicodedata.normalize("NFKC", word.casefold())).lower()


def spellings(space: EmbeddingSpace) -> list[str]:
    """Return all words of a space in plain letters; they are found once and kept as long as it."""
    if space not in _SPELLED:
        _SPELLED[space] = [plain(word) for word in space.words]
    return _SPELLED[space]


def similarities(words: Sequence[str], others: Sequence[str]) -> torch.Tensor:
    """Return 1 for equal words down to 0 for words with no letter in common, pair by pair."""
    return _pairwise(words, others, Levenshtein.normalized_similarity)


def shared_prefixes(words: Sequence[str], others: Sequence[str]) -> torch.Tensor:
    """Return how much of the longer word both begin with, pair by pair."""
    return _pairwise(words, others, Prefix.normalized_similarity)


def scripts_compare(pairs: Sequence[tuple[str, str]]) -> bool:
    """Tell whether translations look more alike than any two words of the languages do.

    True pairs are compared with the same words paired anew; the difference must stand out from
    chance by two standard errors.
    """
    if len(pairs) < 2:
        return False
    sources = [plain(source) for source, _ in pairs]
    targets = [plain(target) for _, target in pairs]
    half = len(pairs) // 2  # far away: neighbors in a lexicon are of one word, or spelled alike
    shifted = [*targets[half:], *targets[:half]]
    gains = similarities(sources, targets) - similarities(sources, shifted)
    return bool(gains.mean() > 2 * gains.std() / len(gains) ** 0.5)


def _pairwise(words: Sequence[str], others: Sequence[str], scorer: Any) -> torch.Tensor:  # noqa: ANN401
    found = process.cpdist(words, others, scorer=scorer, dtype=np.float32)
    return torch.from_numpy(np.asarray(found, dtype=np.float32))
