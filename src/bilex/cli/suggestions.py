"""Suggestions for words that are not in a vocabulary: the words that are spelled most alike."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

_MOST = 20
_LEAST_ALIKE = 0.66  # 1 less the edits per character


class Suggestions:
    """Finds the known word that a user probably meant.

    A search through 200,000 words takes some 10 ms, so only the first few unknown words of a run
    get one.

    Args:
        known: The words that there are, the most frequent first.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known, self._left = known, _MOST

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(self._known)

    def hint(self, word: str) -> str:
        """Return a question for the end of a message, or nothing."""
        if self._left == 0:
            return ""
        self._left -= 1
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extractOne

        alike = OSA.normalized_similarity  # edits and exchanges of two neighboring letters
        found = extractOne(word, self._words, scorer=alike, score_cutoff=_LEAST_ALIKE)
        return "" if found is None else f"; did you mean {found[0]!r}?"
