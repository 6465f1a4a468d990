"""The words of a test set, stored once, and the answers of a job."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bilex.evaluation.spelling import gold_similarities

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TestWord:
    """A word of a test set and its correct translations."""

    word: str
    gold: tuple[str, ...]
    identical: bool  # copying the word is correct
    frequency_rank: int | None
    similarity: float  # the highest spelling similarity of the word to a correct translation


@dataclass(frozen=True, eq=False, slots=True)
class Answers:
    """The answers of a job, one entry for each test word in its vocabularies."""

    words: Integers  # positions in the test set
    ranks: NDArray[np.int16]  # of the first correct candidate, from 1; 0 if none was found
    best: tuple[str | None, ...]

    def right(self) -> NDArray[np.bool_]:
        """Return for each entry whether the best candidate is correct."""
        found: NDArray[np.bool_] = self.ranks == 1
        return found


class TestWords:
    """All test words of a direction, in the order in which jobs list them.

    Jobs are matched by word. Where a job lists a word several times, once for each gold pair, the
    gold translation is part of the match.
    """

    def __init__(self) -> None:
        self.entries: list[TestWord] = []
        self._positions: dict[tuple[str, ...], int] = {}

    def take(self, rows: Sequence[Mapping[str, Any]]) -> Answers:
        """Return the answers in the `words` of a job file, and add test words that are new."""
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
            (similarity,) = gold_similarities([word], [gold])
            self.entries.append(
                TestWord(word, gold, identical, row.get("frequency_rank"), similarity)
            )
        return self._positions[key]
