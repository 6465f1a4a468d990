"""How well probabilities are calibrated."""

from __future__ import annotations

import torch

from bilex.values import Matrix, Vector

_SMALLEST = 1e-6


def log_loss(probabilities: Matrix, right: Matrix) -> float:
    """Return the mean log-loss of a word: summed over its candidates, averaged over words."""
    chances = probabilities.double().clamp(_SMALLEST, 1 - _SMALLEST)
    losses = -(right * chances.log() + (1 - right) * (1 - chances).log())
    return float(losses.sum(1).mean())


def calibration_error(probabilities: Vector, right: Vector, *, bins: int = 10) -> float:
    """Return the expected calibration error (Naeini et al., 2015).

    Answers are put in bins of equal width by their probability; the error is the mean difference
    between the probability and the share of right answers, over all answers.
    """
    bin_of = (probabilities * bins).long().clamp(0, bins - 1)
    difference = (probabilities - right).double()
    sums = torch.zeros(bins, dtype=torch.float64, device=difference.device)
    return float(sums.index_add_(0, bin_of, difference).abs().sum() / len(probabilities))
