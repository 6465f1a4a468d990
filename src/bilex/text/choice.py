"""Choose the sentences that show best how a word is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bilex.text.sentences import Sentence

_SHORTEST, _LONGEST = 25, 140  # characters of a sentence that is easy to read
_INCOMPLETE, _SAME_NEIGHBOR = 1.0, 0.5


def most_useful(sentences: Sequence[Sentence], k: int) -> list[Sentence]:
    """Return up to `k` sentences: complete, neither short nor long, with different neighbors.

    One is chosen at a time. The cost of a sentence grows with each chosen one that has the same
    word before or after. Of sentences with equal cost, the earliest is chosen.
    """
    costs = [_cost(sentence) for sentence in sentences]
    neighbors = [_neighbors(sentence) for sentence in sentences]
    left = list(range(len(sentences)))
    seen: Counter[str] = Counter()
    chosen: list[Sentence] = []
    while left and len(chosen) < k:
        best = min(
            left,
            key=lambda i: costs[i] + _SAME_NEIGHBOR * sum(seen[word] for word in neighbors[i]),
        )
        left.remove(best)
        seen.update(neighbors[best])
        chosen.append(sentences[best])
    return chosen


def _cost(sentence: Sentence) -> float:
    length = len(sentence.text)
    too_short = max(_SHORTEST - length, 0) / _SHORTEST
    too_long = max(length - _LONGEST, 0) / _LONGEST
    return too_short + too_long + _INCOMPLETE * (not sentence.is_complete)


def _neighbors(sentence: Sentence) -> tuple[str, ...]:
    """Return the words right before and after, marked by their side."""
    before, after = sentence.left.split()[-1:], sentence.right.split()[:1]
    return tuple(f"{word.casefold()} " for word in before) + tuple(
        f" {word.casefold()}" for word in after
    )
