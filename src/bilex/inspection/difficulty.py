"""A rough estimate of how hard a task is, with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bilex.inspection.hubness import Hubness
from bilex.inspection.pair import FAR_SPECTRA, PairHealth
from bilex.inspection.space import STRONG_HUBS
from bilex.lexicons.coverage import Coverage

TOO_FEW_SEEDS = 100
"""The smallest seed lexicon in the literature that still helps."""

FEW_SEEDS = 1_000
"""With 500 to 1,000 seeds, a supervised map of distant languages still fails."""

LOW_COVERAGE = 0.5
"""If more pairs are missing, the lexicon was probably made for other vocabularies."""

NO_AGREEMENT = 0.15
"""Relational similarity is 0.35 or more for correct pairs, and about 0 for shuffled ones."""

Level = Literal["easy", "moderate", "hard"]


@dataclass(frozen=True)
class Difficulty:
    """How hard the task probably is, and why."""

    level: Level
    reasons: tuple[str, ...]


def estimate_difficulty(
    found: Coverage, *, pair: PairHealth, hubness: Hubness | None, agreement: float | None
) -> Difficulty:
    """Estimate the difficulty from seeds, coverage, scripts, spectra and hubs.

    One severe problem makes a task hard, and so do two minor ones; a single minor problem makes
    it moderate.
    """
    severe = _severe_problems(found, agreement)
    minor = _minor_problems(found, pair, hubness, agreement)
    level: Level = "easy"
    if severe or len(minor) > 1:
        level = "hard"
    elif minor:
        level = "moderate"
    return Difficulty(level, (*severe, *minor) or (_no_problem(found),))


def _severe_problems(found: Coverage, agreement: float | None) -> list[str]:
    reasons = []
    if found.source_words_covered < TOO_FEW_SEEDS:
        reasons.append(
            f"{found.source_words_covered:,} usable seed words are too few to learn from: use at "
            f"least {TOO_FEW_SEEDS:,}, better {FEW_SEEDS:,}"
        )
    if agreement is not None and agreement < NO_AGREEMENT:
        reasons.append(
            "words that are similar in one language have translations that are not similar in the "
            "other: check that the lexicon is of these languages and that its columns are aligned"
        )
    return reasons


def _minor_problems(
    found: Coverage, pair: PairHealth, hubness: Hubness | None, agreement: float | None
) -> list[str]:
    reasons = []
    if TOO_FEW_SEEDS <= found.source_words_covered < FEW_SEEDS:
        reasons.append(
            f"{found.source_words_covered:,} usable seed words are few: use a semi-supervised "
            f"strategy, which helps most below {FEW_SEEDS:,}"
        )
    if found.share < LOW_COVERAGE:
        reasons.append(f"only {found.share:.0%} of the pairs have both words in the vocabularies")
    if not pair.same_script:
        reasons.append(
            f"the languages use different scripts ({pair.source_script} and {pair.target_script}), "
            "which often means distant languages"
        )
    if agreement is None and pair.spectral_distance and pair.spectral_distance > FAR_SPECTRA:
        reasons.append(
            "the two spaces have different shapes (spectra), so a linear map may fit badly"
        )
    if hubness and hubness.skewness > STRONG_HUBS:
        reasons.append("the target space has strong hubs, words that attract wrong translations")
    return reasons


def _no_problem(found: Coverage) -> str:
    return (
        f"{found.source_words_covered:,} usable seed words, {found.share:.0%} of the pairs in the "
        "vocabularies, and no problem found in the vectors"
    )
