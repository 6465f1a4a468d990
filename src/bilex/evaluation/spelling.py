"""Spelling similarity of test words and their gold translations, and its bands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from bilex.candidates.spelling import plain, similarities

SPELLING_EDGES = (0.0, 0.3, 0.7)
"""First similarity of each band; a band ends before the next one, and the last includes 1."""

SPELLING_BANDS = tuple(f"{low:g}-{high:g}" for low, high in pairwise((*SPELLING_EDGES, 1.0)))
"""The names of the bands: dissimilar words, words in between, look-alikes."""

_DECIMALS = 4  # 7 of 10 letters is 0.7, not the float32 below it


def gold_similarities(words: Sequence[str], golds: Sequence[Sequence[str]]) -> list[float]:
    """Return the highest spelling similarity of each word to one of its gold translations.

    Words are compared in lower-case Latin letters without accents; 1 is equal, 0 is no overlap.

    Example:
        >>> gold_similarities(["minister", "dog"], [["ministre", "prêtre"], ["chien"]])
        [0.75, 0.0]
    """
    sources = [
        source
        for word, gold in zip(words, golds, strict=True)
        for source in [plain(word)] * len(gold)
    ]
    targets = [plain(target) for gold in golds for target in gold]
    found = iter(similarities(sources, targets).tolist())
    return [round(max((next(found) for _ in gold), default=0.0), _DECIMALS) for gold in golds]


def spelling_band(similarity: float) -> str:
    """Return the name of the band of a similarity."""
    return SPELLING_BANDS[bisect_right(SPELLING_EDGES, similarity) - 1]
