"""How well beginnings and endings go together, counted pair by pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def naive_fit(pairs: Sequence[tuple[str, str]], word: str, candidate: str) -> tuple[float, float]:
    """Return the log ratios of the beginnings and of the endings, for parts of 1 to 3 letters."""

    def ratio(cut: Callable[[str], str]) -> float:
        left, right = cut(word), cut(candidate)
        together = sum(cut(a) == left and cut(b) == right for a, b in pairs)
        first = sum(cut(a) == left for a, _ in pairs)
        second = sum(cut(b) == right for _, b in pairs)
        expected = first * second / len(pairs) if pairs else 0.0
        return math.log((together + expected / 2 + 0.05) / (1.5 * expected + 0.05))

    return (
        sum(ratio(lambda text, n=n: text.casefold()[:n]) for n in (1, 2, 3)),  # type: ignore[misc]
        sum(ratio(lambda text, n=n: text.casefold()[-n:]) for n in (1, 2, 3)),  # type: ignore[misc]
    )


def naive_usual(seeds: set[str], words: Sequence[str], candidate: str) -> float:
    """Return the log ratios of endings of 1 to 3 letters, seeds against all words."""
    found = 0.0
    for length in (1, 2, 3):
        end = candidate.casefold()[-length:]
        among_seeds = sum(word.casefold()[-length:] == end for word in seeds)
        everywhere = sum(word.casefold()[-length:] == end for word in words)
        expected = len(seeds) * (everywhere + 1) / len(words)
        found += math.log((among_seeds + 3) / (expected + 3))
    return found
