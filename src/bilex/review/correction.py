"""Correct probabilities by what the audit found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bilex.errors import SettingError

SMALLEST_SAMPLE = 50
"""Fewer audited words than this change nothing."""

_SMALLEST_CHANCE = 1e-6

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A monotone correction: log-odds are multiplied by `slope`, then `intercept` is added."""

    slope: float = 1.0
    intercept: float = 0.0

    @classmethod
    def learn(cls, probabilities: Sequence[float], right: Sequence[bool]) -> Self:
        """Fit the correction to a random sample by penalized logistic regression (Platt, 1999).

        The penalty pulls towards no correction, so that a small sample corrects little. With fewer
        than `SMALLEST_SAMPLE` words, or where the fit is not increasing, nothing is corrected.

        Args:
            probabilities: What the model believed of each word's first candidate.
            right: Whether it was right.
        """
        if len(probabilities) != len(right):
            raise SettingError(f"{len(probabilities)} probabilities for {len(right)} words")
        if len(right) < SMALLEST_SAMPLE:
            return cls()
        import torch

        from bilex.calibration.logistic import fit_platt

        odds = torch.from_numpy(_log_odds(np.asarray(probabilities, dtype=np.float64)))
        outcomes = torch.tensor([float(each) for each in right], dtype=torch.float64)
        slope, intercept = fit_platt(odds, outcomes)
        return cls(slope=slope, intercept=intercept) if slope > 0 else cls()

    def apply(self, probabilities: Array) -> Array:
        """Return corrected probabilities; not a number stays so, and 0 and 1 stay near their ends.

        Without a correction, the same numbers are returned.
        """
        if self == type(self)():
            return probabilities
        odds = self.slope * _log_odds(probabilities) + self.intercept
        return np.asarray(1 / (1 + np.exp(-odds)))

    def undo(self, probability: float) -> float:
        """Return the probability that is corrected to the given one."""
        if self == type(self)():
            return probability
        odds = float(_log_odds(np.asarray(probability, dtype=np.float64)))
        return float(1 / (1 + np.exp((self.intercept - odds) / self.slope)))


def _log_odds(probabilities: Array) -> Array:
    chances = np.clip(probabilities, _SMALLEST_CHANCE, 1 - _SMALLEST_CHANCE)
    return np.asarray(np.log(chances / (1 - chances)))
