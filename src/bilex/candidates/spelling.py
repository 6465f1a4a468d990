"""Spelling similarity of two words after transliteration to plain Latin letters."""

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

from bilex.values import EmbeddingSpace, IndexedLexicon, SpacePair

_SPELLED: WeakKeyDictionary[EmbeddingSpace, list[str]] = WeakKeyDictionary()


def plain(word: str) -> str:
    """Return a word in lower-case Latin letters without accents, whatever its script.

    Example:
        >>> plain("Élève"), plain("борщ")
        ('eleve', 'borshch')
    """
    if word.isascii():
        return word.lower()
    # NFKC keeps Japanese and Thai letters composed with their marks, which anyascii would drop.
    return anyascii(unicodedata.normalize("NFKC", word.casefold())).lower()


def spellings(space: EmbeddingSpace) -> list[str]:
    """Return all words of a space in plain letters; cached as long as the space exists."""
    if space not in _SPELLED:
        _SPELLED[space] = [plain(word) for word in space.words]
    return _SPELLED[space]


def similarities(words: Sequence[str], others: Sequence[str]) -> torch.Tensor:
    """Return the normalized edit similarity of each pair: 1 for equal words, 0 for no overlap."""
    return _pairwise(words, others, Levenshtein.normalized_similarity)


def shared_prefixes(words: Sequence[str], others: Sequence[str]) -> torch.Tensor:
    """Return the length of the common prefix divided by that of the longer word, for each pair."""
    return _pairwise(words, others, Prefix.normalized_similarity)


def scripts_compare(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether translations are spelled more similarly than random pairs of the same words.

    The mean difference in similarity must be more than two standard errors above 0.
    """
    if len(pairs) < 2:
        return False
    sources = [plain(source) for source, _ in pairs]
    targets = [plain(target) for _, target in pairs]
    half = len(pairs) // 2  # a large shift, because neighbors in a lexicon are often similar
    shifted = [*targets[half:], *targets[:half]]
    gains = similarities(sources, targets) - similarities(sources, shifted)
    return bool(gains.mean() > 2 * gains.std() / len(gains) ** 0.5)


def seeds_compare(seeds: IndexedLexicon, spaces: SpacePair) -> bool:
    """Return whether the words of seeds are spelled more similarly than random pairs of them."""
    rows = zip(seeds.source_ids.tolist(), seeds.target_ids.tolist(), strict=True)
    return scripts_compare([(spaces.source.words[i], spaces.target.words[j]) for i, j in rows])


def _pairwise(words: Sequence[str], others: Sequence[str], scorer: Any) -> torch.Tensor:  # noqa: ANN401
    found = process.cpdist(words, others, scorer=scorer, dtype=np.float32)
    return torch.from_numpy(np.asarray(found, dtype=np.float32))
