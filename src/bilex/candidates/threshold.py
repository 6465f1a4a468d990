"""The probability threshold of a dictionary, for a given precision or the best F1."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import SettingError
from bilex.values import Matrix, Vector


@dataclass(frozen=True)
class CurvePoint:
    """The size and expected quality of a dictionary cut at a threshold."""

    threshold: float  # the smallest probability that is kept
    entries: int
    words: int  # words with at least one entry
    precision: float  # expected share of correct entries
    recall: float  # expected share of all correct candidates that are entries


def threshold_for_precision(probabilities: Matrix, precision: float) -> float:
    """Return the smallest probability to keep for this expected precision.

    The expected precision of entries is their mean probability. The threshold keeps as many of the
    most probable entries as possible without falling below the given precision. Entries of the
    same probability are all kept or all dropped.

    Returns:
        The threshold; infinity if even the most probable entry is below the precision.

    Raises:
        SettingError: If the precision is not above 0 and at most 1.
    """
    check_precision(precision)
    best = probabilities.flatten().sort(descending=True).values
    last = best.diff(append=best.new_tensor([-1.0])) < 0  # the last entry of its probability
    enough = last & (running_precision(probabilities)[1] >= precision)
    return float(best[enough].min()) if bool(enough.any()) else float("inf")


def check_precision(precision: float) -> None:
    """Raise `SettingError` unless the precision is above 0 and at most 1."""
    if not 0 < precision <= 1:
        raise SettingError(f"min_precision is {precision}, expected above 0 and at most 1")


def running_precision(probabilities: Matrix) -> tuple[Vector, Vector]:
    """Return the numbers n = 1, 2, 3, … and the mean of the n largest probabilities."""
    best = probabilities.flatten().double().sort(descending=True).values
    numbers = torch.arange(1, len(best) + 1, device=best.device)
    return numbers, best.cumsum(0) / numbers


def threshold_for_f1(probabilities: Matrix) -> float:
    """Return the smallest probability to keep for the best balance of precision and recall.

    The expected F1 of the entries above a threshold is twice their summed probability, over
    their number plus the summed probability of all candidates (Lipton et al., 2014).
    """
    best = probabilities.flatten().double().sort(descending=True).values
    numbers = torch.arange(1, len(best) + 1, device=best.device)
    expected = 2 * best.cumsum(0) / (numbers + best.sum())
    return float(best[int(expected.argmax())])


def precision_curve(probabilities: Matrix, precisions: Vector) -> list[CurvePoint]:
    """Return the size and expected quality of a dictionary at each precision."""
    total = float(probabilities.double().sum())
    points = []
    for wanted in precisions.tolist():
        threshold = threshold_for_precision(probabilities, wanted)
        kept = probabilities >= threshold
        mass, entries = float(probabilities[kept].double().sum()), int(kept.sum())
        points.append(
            CurvePoint(
                threshold=threshold,
                entries=entries,
                words=int(kept.any(1).sum()),
                precision=mass / entries if entries else 1.0,
                recall=mass / total if total else 0.0,
            )
        )
    return points
