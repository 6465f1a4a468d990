"""Correct the level of probabilities where the choice of the seeds distorts features.

Seeds are often frequent words with frequent translations. A model that learns from them takes a
rare candidate for wrong, also where rare translations are usual. What it learns about the order of
candidates holds for other words; how probable they are altogether does not. So the mean probability
of first answers to ordinary words is taken from a model without these features, plus what the
features add on held-out seeds.
"""

from __future__ import annotations

import torch

from bilex.candidates.features import GROUPS
from bilex.candidates.model import CandidateModel
from bilex.values import Matrix, Vector

DISTORTED = frozenset(GROUPS["frequency"].names)
"""Features that depend on which words were chosen as seeds."""

LARGEST_SHIFT = 1.0
"""Log-odds are shifted by at most this."""


def level_shift(
    model: CandidateModel, ordinary: Matrix, *, plain: Vector, gain: tuple[float, float]
) -> float:
    """Return what must be added to log-odds so that first answers have the right mean probability.

    Args:
        model: Computes probabilities with all features.
        ordinary: The features of the candidates of ordinary words: (n_words, k, n_features).
        plain: The probabilities of first answers to these words without the distorted features.
        gain: The mean probability of first answers to held-out seeds, without the distorted
            features and with them.
    """
    from scipy.optimize import brentq

    first = model.probabilities(ordinary).amax(1).double().logit(eps=1e-6)
    means = torch.tensor([float(plain.mean()), *gain], dtype=torch.float64).logit(eps=1e-6)
    level = float(torch.sigmoid(means[0] + means[2] - means[1]))

    def excess(shift: float) -> float:
        return float(torch.sigmoid(first + shift).mean()) - level

    if excess(-LARGEST_SHIFT) >= 0:
        return -LARGEST_SHIFT
    if excess(LARGEST_SHIFT) <= 0:
        return LARGEST_SHIFT
    return float(brentq(excess, -LARGEST_SHIFT, LARGEST_SHIFT, xtol=1e-4))
