"""Evaluations to compare."""

from __future__ import annotations

from bilex.evaluation import Scores


def without_intervals(scores: Scores) -> object:
    """Return the scores as plain values without intervals, which depend on the random state."""
    return _without(scores.to_dict())


def _without(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: _without(inner) for key, inner in value.items() if key != "p_at_1_interval"}
