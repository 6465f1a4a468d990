"""Metrics from the rank of the first correct answer; rank None means not retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bilex.evaluation.outcomes import Outcome
from bilex.evaluation.spelling import SPELLING_BANDS, spelling_band

BAND_EDGES = (0, 1_000, 5_000, 20_000)
"""First frequency rank of each band; a band ends before the next one."""

Ranks = Sequence[int | None]

Groups = dict[str, list[int]]
"""Positions of outcomes, by the name of their group."""


def hits_at(ranks: Ranks, k: int) -> int:
    """Count the units with a correct answer among the k best."""
    return sum(rank is not None and rank <= k for rank in ranks)


def precision_at(ranks: Ranks, k: int) -> float:
    """Return the share of units with a correct answer among the k best."""
    return hits_at(ranks, k) / len(ranks)


def mean_reciprocal_rank(ranks: Ranks) -> float:
    """Return the mean of 1 / rank; a unit whose correct answer was not retrieved adds 0."""
    return sum(1 / rank for rank in ranks if rank is not None) / len(ranks)


def by_frequency(outcomes: Sequence[Outcome]) -> Groups:
    """Group outcomes by the frequency band of the source word; empty bands are left out."""
    bands = [_band(outcome.frequency_rank) for outcome in outcomes]
    return _grouped(bands, (*_band_names(), "unknown"))


def by_string(outcomes: Sequence[Outcome]) -> Groups:
    """Group outcomes by whether copying the source word is correct, without empty groups."""
    names = ["identical" if outcome.identical else "different" for outcome in outcomes]
    return _grouped(names, ("identical", "different"))


def by_spelling(outcomes: Sequence[Outcome]) -> Groups:
    """Group outcomes by the spelling similarity of word and gold; empty bands are left out."""
    return _grouped([spelling_band(outcome.similarity) for outcome in outcomes], SPELLING_BANDS)


def _grouped(names: Sequence[str], order: Sequence[str]) -> Groups:
    groups: Groups = {name: [] for name in order}
    for position, name in enumerate(names):
        groups[name].append(position)
    return {name: members for name, members in groups.items() if members}


def _band_names() -> list[str]:
    marks = [f"{edge // 1_000}k" if edge else "0" for edge in BAND_EDGES]
    return [*(f"{low}-{high}" for low, high in pairwise(marks)), f"{marks[-1]}+"]


def _band(rank: int | None) -> str:
    if rank is None:
        return "unknown"
    return _band_names()[sum(rank >= edge for edge in BAND_EDGES) - 1]
