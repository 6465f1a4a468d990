"""The words of a test set, kept once, and what a job answered for them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word that is asked for, and what is right."""

    word: str
    gold: tuple[str, ...]
    identical: bool  # copying the word is right
    frequency_rank: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Answers:
    """What a job answered, one entry for each test word that it could be asked."""

    words: Integers  # positions in the test set
    ranks: NDArray[np.int16]  # of the first right candidate, 1 the best, 0 if it was not retrieved
    best: tuple[str | None, ...]

    def right(self) -> NDArray[np.bool_]:
        """Tell for each entry whether the best candidate is right."""
        found: NDArray[np.bool_] = self.ranks == 1
        return found


class AskedWords:
    """All test words that any job of a direction was asked, in order of appearance.

    Jobs are matched by word. Where a job asks for a word several times, once for each gold
    pair, the gold translation tells these apart.
    """

    def __init__(self) -> None:
        self.entries: list[AskedWord] = []
        self._positions: dict[tuple[str, ...], int] = {}

    def take(self, rows: Sequence[Mapping[str, Any]]) -> Answers:
        """Return the answers in the `words` of a job file, adding test words not seen yet."""
        times = Counter(row["word"] for row in rows)
        positions, ranks, best = [], [], []
        for row in rows:
            repeated = times[row["word"]] > 1
            positions.append(self._position(row, repeated=repeated))
            ranks.append(row.get("rank") or 0)
            answer = row.get("best")
            best.append(None if answer is None else sys.intern(answer))
        return Answers(
            np.array(positions, dtype=np.int64), np.array(ranks, dtype=np.int16), tuple(best)
        )

    def _position(self, row: Mapping[str, Any], *, repeated: bool) -> int:
        word, gold = row["word"], tuple(row["gold"])
        key = (word, *gold) if repeated else (word,)
        if key not in self._positions:
            self._positions[key] = len(self.entries)
            identical = bool(row.get("identical", word in gold))
            self.entries.append(AskedWord(word, gold, identical, row.get("frequency_rank")))
        return self._positions[key]
