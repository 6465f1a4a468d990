"""A hint, without any word pair, at whether two spaces have the same shape."""

from __future__ import annotations

import numpy as np
import torch

from bilex.inspection.geometry import normalized, usable_rows
from bilex.values import EmbeddingSpace, Matrix

WORDS_LOOKED_AT = 5_000
"""The most frequent words, as many on each side."""

FEWEST_WORDS = 10
"""With fewer, the spectrum is that of the sample and not of the language."""

POINTS = 101  # where two curves of different lengths are compared


def spectral_distance(source: EmbeddingSpace, target: EmbeddingSpace) -> float | None:
    """Return how differently the variances of two spaces fall off; None with too few words.

    Compares the logarithms of the singular values of the most frequent words (unit length,
    centered, unit length), at the same relative ranks so that dimensions may differ, and each
    less its mean so that scale does not count. Root of the mean squared difference, after the
    spectral comparisons of Dubossarsky et al. (2020). A weak hint: equal spectra do not make
    equal spaces, and the training method shows more than the language.
    """
    rows = [usable_rows(space.vectors[:WORDS_LOOKED_AT]) for space in (source, target)]
    count = min(map(len, rows))
    if count < FEWEST_WORDS:
        return None
    one, other = (_curve(part[:count]) for part in rows)
    if one is None or other is None:
        return None
    return float(np.sqrt(((one - other) ** 2).mean()))


def _curve(rows: Matrix) -> np.ndarray | None:
    """Return the centered log spectrum at evenly spaced relative ranks; None without spread."""
    values = torch.linalg.svdvals(normalized(rows).double())
    values = values[values > 1e-6 * values.max()]
    if not len(values):
        return None
    logs = values.log().cpu().numpy()
    ranks = (np.arange(len(logs)) + 0.5) / len(logs)
    curve = np.interp(np.linspace(0, 1, POINTS), ranks, logs - logs.mean())
    return np.asarray(curve)
