"""Compare the spectra of two spaces: a weak hint, without any word pair, that they are similar."""

from __future__ import annotations

import numpy as np
import torch

from bilex.inspection.geometry import normalized, usable_rows
from bilex.values import EmbeddingSpace, Matrix

WORDS_LOOKED_AT = 5_000
"""The most frequent words, the same number on each side."""

FEWEST_WORDS = 10
"""With fewer, the spectrum describes the sample and not the language."""

POINTS = 101  # at which two curves of different lengths are compared


def spectral_distance(source: EmbeddingSpace, target: EmbeddingSpace) -> float | None:
    """Return the distance between the spectra of two spaces; None with too few words.

    The root mean squared difference of the log singular values of the most frequent words (unit
    length, centered, unit length), after Dubossarsky et al. (2020). Values are compared at the
    same relative ranks, so that dimensions may differ, and without their mean, so that scale does
    not matter. A weak hint: spaces with equal spectra may still differ, and the training method
    has more influence than the language.
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
    """Return the centered log spectrum at evenly spaced relative ranks; None if all are zero."""
    values = torch.linalg.svdvals(normalized(rows).double())
    values = values[values > 1e-6 * values.max()]
    if not len(values):
        return None
    logs = values.log().cpu().numpy()
    ranks = (np.arange(len(logs)) + 0.5) / len(logs)
    curve = np.interp(np.linspace(0, 1, POINTS), ranks, logs - logs.mean())
    return np.asarray(curve)
