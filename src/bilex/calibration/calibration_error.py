"""Measures of the quality of probabilities."""

from __future__ import annotations

import torch

from bilex.values import Matrix, Vector

_SMALLEST = 1e-6


def log_losses(probabilities: Matrix, right: Matrix) -> Vector:
    """Return the log-loss of each word, summed over its candidates."""
    chances = probabilities.double().clamp(_SMALLEST, 1 - _SMALLEST)
    return -(right * chances.log() + (1 - right) * (1 - chances).log()).sum(1)


def log_loss(probabilities: Matrix, right: Matrix) -> float:
    """Return the log-loss, summed over the candidates of a word and averaged over words."""
    return float(log_losses(probabilities, right).mean())


def calibration_error(probabilities: Vector, right: Vector, *, bins: int = 10) -> float:
    """Return the expected calibration error (Naeini et al., 2015).

    Answers are grouped into bins of equal width by their probability. The error is the difference
    between the mean probability and the share of right answers of a bin, averaged over all answers.
    """
    bin_of = (probabilities * bins).long().clamp(0, bins - 1)
    difference = (probabilities - right).double()
    sums = torch.zeros(bins, dtype=torch.float64, device=difference.device)
    return float(sums.index_add_(0, bin_of, difference).abs().sum() / len(probabilities))
