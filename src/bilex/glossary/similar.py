"""Terms that differ from a word of the text by a usual ending only."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

SHORTEST = 5
"""Letters of a word of the text; shorter words have no similar terms."""

SHORTEST_TERM = 4
SHORTEST_STEM = 4
LONGEST_ENDING = 3
SMALLEST_SHARE = 0.6
"""Of the letters of the longer word that are in the stem."""

ENOUGH_TERMS = 2_000
"""Single words from which endings are learned; with fewer, a stricter rule needs no endings."""

USUAL = 500
"""A pair of endings is usual if at least one of so many terms shows it."""

_MOST_TERMS = 50_000  # the most frequent terms, from which endings are learned
_NEIGHBORS = 16  # terms to each side, in alphabetical order, that are compared
_FEWEST_PAIRS = 5

_STRICT_STEM, _STRICT_ENDING, _STRICT_SHARE = 5, 2, 0.7

Endings = dict[tuple[str, str], int]


def has_endings(word: str) -> bool:
    """Return whether a folded word is of letters of a script with small letters, and no others."""
    return word.isalpha() and word.islower()


class SimilarTerms:
    """Finds the term that a word is most likely an inflected form of.

    Two words are similar if they are the same but for their endings, such as *walked* and
    *walking*, and many terms have this pair of endings. So the usual endings of a language are
    learned from its terms, and no list is needed.

    Args:
        keys: Folded terms, the most frequent first; the last word of each has at least
            `SHORTEST_TERM` letters. Endings are learned from those that are one word.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        words: list[str] = []
        terms: list[str] = []
        for key in keys:
            (words if key.isalpha() else terms).append(key)
        self._usual = _usual_endings(sorted(words[:_MOST_TERMS]))
        # Tuples of texts, unlike lists, cost the garbage collector nothing.
        self._words, self._terms = tuple(sorted(words)), tuple(sorted(terms))

    def find(self, key: str, head: int) -> str | None:
        """Return the most similar term; None if there is none.

        Args:
            key: A folded word or term; its last word has at least `SHORTEST` letters.
            head: Where its last word begins. What is before must be the same.
        """
        letters = len(key) - head
        stem, ending = SHORTEST_STEM, LONGEST_ENDING
        if self._usual is None:
            stem, ending = _STRICT_STEM, _STRICT_ENDING
        shared = head + max(stem, letters - ending)
        best: tuple[int, int, str] | None = None
        for term in _neighbors(self._terms if head else self._words, key, key[:shared]):
            common = _common_letters(key, term, shared)
            ours, its = key[common:], term[common:]
            if len(its) > ending or (its and not its.isalpha()):
                continue
            weight = self._weight(ours, its, common - head)
            rank = (-weight, len(ours) + len(its), term)
            if weight and (best is None or rank < best):
                best = rank
        return None if best is None else best[2]

    def _weight(self, ours: str, its: str, stem: int) -> int:
        """Return how many terms have these endings; 0 if the two are not similar."""
        share = stem / (stem + max(len(ours), len(its)))
        if self._usual is None:
            return int(share >= _STRICT_SHARE)
        return self._usual.get((ours, its), 0) if share >= SMALLEST_SHARE else 0


def _neighbors(keys: Sequence[str], key: str, prefix: str) -> list[str]:
    """Return the terms next to a key in the alphabet that begin with the same characters."""
    first = bisect_left(keys, prefix)
    if first == len(keys) or not keys[first].startswith(prefix):
        return []
    place = bisect_left(keys, key, lo=first)
    near = keys[max(place - _NEIGHBORS, first) : place + _NEIGHBORS]
    return [term for term in near if term.startswith(prefix) and term != key]


def _usual_endings(words: Sequence[str]) -> Endings | None:
    """Return the pairs of endings that many of the sorted words have, and how many have them.

    None if the words are too few to learn from.
    """
    if len(words) < ENOUGH_TERMS:
        return None
    common = [_common_letters(one, other, 0) for one, other in pairwise(words)]
    counts: Counter[tuple[str, str]] = Counter()
    for number, word in enumerate(words):
        stem = len(word)
        for other in range(number + 1, min(number + _FEWEST_PAIRS, len(words))):
            stem = min(stem, common[other - 1])
            if stem < SHORTEST_STEM or len(word) - stem > LONGEST_ENDING:
                break
            if len(words[other]) - stem <= LONGEST_ENDING:
                counts[word[stem:], words[other][stem:]] += 1
    least = max(_FEWEST_PAIRS, len(words) // USUAL)
    found: Endings = {}
    for (first, second), count in counts.items():
        both = count + counts.get((second, first), 0)
        if both >= least:
            found[first, second] = found[second, first] = both
    return found


def _common_letters(one: str, other: str, known: int) -> int:
    """Return how many first characters are the same; of these, `known` are not compared."""
    shorter = min(len(one), len(other))
    while known < shorter and one[known] == other[known]:
        known += 1
    return known
