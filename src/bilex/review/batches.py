"""Words whose first candidate is nearly certain, offered together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.review.correction import Correction
from bilex.review.queue import Array, QueueFeatures

_TAIL = 0.025  # on each side of the range of errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Words to accept or reject together.

    Attributes:
        rows: Which words, the most frequent first.
        expected_errors: How many first candidates are wrong, by their probabilities.
        fewest_errors: The number of errors is at least this with a probability of 97.5 %.
        most_errors: And at most this.
    """

    rows: tuple[int, ...]
    expected_errors: float
    fewest_errors: int
    most_errors: int

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearCertain:
    """Chooses the most frequent words whose first candidate is nearly certain.

    Attributes:
        least: The smallest probability of a first candidate.
        size: The largest number of words.
        fewest: No batch is offered for fewer words than this: they are asked one by one.
        reserved: This share of the project's random order is left to the audit, which needs
            somebody to look at each word alone.
    """

    least: float = 0.95
    size: int = 50
    fewest: int = 10
    reserved: float = 0.1

    def __post_init__(self) -> None:
        require_at_least_one("batch", self, "size", "fewest")
        if not 0 < self.least <= 1:
            raise SettingError(f"batch.least is {self.least}: give a probability above 0, up to 1")
        if not 0 <= self.reserved < 1:
            raise SettingError(f"batch.reserved is {self.reserved}: give a share below 1")

    def choose(self, words: QueueFeatures, correction: Correction | None = None) -> Batch | None:
        """Return the next batch of open words; None if too few are nearly certain.

        Args:
            words: The words that are still open.
            correction: What the audit says about the probabilities.
        """
        known = words.probabilities[:, 0]
        chances = known if correction is None else correction.apply(known)
        # Not a number is not certain.
        certain = np.flatnonzero((chances >= self.least) & (words.lots >= self.reserved))
        if len(certain) < self.fewest:
            return None
        rows = certain[np.argsort(words.ranks[certain], kind="stable")][: self.size]
        errors = 1 - chances[rows]
        fewest, most = _error_range(errors)
        return Batch(
            rows=tuple(rows.tolist()),
            expected_errors=float(errors.sum()),
            fewest_errors=fewest,
            most_errors=most,
        )


def _error_range(errors: Array) -> tuple[int, int]:
    """Return the middle 95 % of the number of errors, from the probability of each."""
    counts = np.ones(1)  # probability of each number of errors
    for chance in errors.tolist():
        counts = np.convolve(counts, [1 - chance, chance])
    up_to = counts.cumsum()
    return int(np.searchsorted(up_to, _TAIL)), int(np.searchsorted(up_to, 1 - _TAIL))
