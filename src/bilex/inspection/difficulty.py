"""A plain-language estimate of how hard a task is; it promises no precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bilex.inspection.hubness import Hubness
from bilex.inspection.pair import FAR_SPECTRA, PairHealth
from bilex.inspection.space import STRONG_HUBS
from bilex.lexicons.coverage import Coverage

TOO_FEW_SEEDS = 100
"""Below the smallest seed lexicon of the literature that still helps."""

FEW_SEEDS = 1_000
"""Between 500 and 1,000 seeds, the supervised map of distant languages still collapses."""

LOW_COVERAGE = 0.5
"""If most pairs are lost, the vocabularies are likely not the ones the lexicon was made for."""

NO_AGREEMENT = 0.15
"""Relational similarity of good pairs is 0.35 or more; of shuffled ones, about 0."""

Level = Literal["easy", "moderate", "hard"]


@dataclass(frozen=True)
class Difficulty:
    """How hard the task looks, and why."""

    level: Level
    reasons: tuple[str, ...]


def estimate_difficulty(
    found: Coverage, *, pair: PairHealth, hubness: Hubness | None, agreement: float | None
) -> Difficulty:
    """Weigh seeds, coverage, scripts, shape and hubs.

    One grave obstacle makes a task hard, and so do two ordinary ones; a single ordinary obstacle
    makes it moderate.
    """
    grave = _grave_obstacles(found, agreement)
    ordinary = _ordinary_obstacles(found, pair, hubness, agreement)
    level: Level = "easy"
    if grave or len(ordinary) > 1:
        level = "hard"
    elif ordinary:
        level = "moderate"
    return Difficulty(level, (*grave, *ordinary) or (_encouragement(found),))


def _grave_obstacles(found: Coverage, agreement: float | None) -> list[str]:
    reasons = []
    if found.source_words_covered < TOO_FEW_SEEDS:
        reasons.append(
            f"{found.source_words_covered:,} usable seed words are too few to learn from: add more "
            f"pairs, {TOO_FEW_SEEDS:,} or better {FEW_SEEDS:,}"
        )
    if agreement is not None and agreement < NO_AGREEMENT:
        reasons.append(
            "words that are similar in one language have translations that are not similar in the "
            "other: check that the lexicon is of these languages and that its rows are in step"
        )
    return reasons


def _ordinary_obstacles(
    found: Coverage, pair: PairHealth, hubness: Hubness | None, agreement: float | None
) -> list[str]:
    reasons = []
    if TOO_FEW_SEEDS <= found.source_words_covered < FEW_SEEDS:
        reasons.append(
            f"{found.source_words_covered:,} usable seed words are few: a semi-supervised strategy "
            f"helps most below {FEW_SEEDS:,}"
        )
    if found.share < LOW_COVERAGE:
        reasons.append(f"only {found.share:.0%} of the pairs have both words in the vocabularies")
    if not pair.same_script:
        reasons.append(
            f"the languages use different scripts ({pair.source_script} and {pair.target_script}), "
            "which often means distant languages"
        )
    if agreement is None and pair.spectral_distance and pair.spectral_distance > FAR_SPECTRA:
        reasons.append("the two spaces are built differently, so a linear map may fit badly")
    if hubness and hubness.skewness > STRONG_HUBS:
        reasons.append("the target space has strong hubs, words that attract wrong translations")
    return reasons


def _encouragement(found: Coverage) -> str:
    return (
        f"{found.source_words_covered:,} usable seed words, {found.share:.0%} of the pairs known, "
        "and nothing in the vectors speaks against a linear map"
    )
