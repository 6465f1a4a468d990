"""What an evaluation found, ready to print, save or compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bilex.errors import SettingError
from bilex.evaluation.outcomes import Outcome
from bilex.evaluation.scoring_rules import ScoringRules
from bilex.registry import import_extra

SHARED_KEYS = (
    "covered",
    "total",
    "coverage",
    "copy_baseline",
    "rules",
    "primary",
    "depth",
    "leaked_pairs",
)
"""The keys of `Evaluation.to_dict` beside the rankers' names, which no ranker may take."""


@dataclass(frozen=True, slots=True)
class Share:
    """Precision at 1 over some of the scored units, and how many these are."""

    p_at_1: float
    n: int


@dataclass(frozen=True, slots=True)
class Scores:
    """How well one ranker did, over the units that the rules score.

    Attributes:
        p_at_1: Share of units whose best candidate is right; `p_at_5` and `p_at_10` ask whether
            one of the 5 or 10 best is.
        mrr: Mean of 1 / rank of the first right candidate, 0 where none was retrieved.
        p_at_1_interval: Middle 95 % of `p_at_1` over resampled units.
        p_at_1_uncovered_as_errors: Right answers over all units, covered or not.
        by_frequency: By rank of the source word in its vocabulary: "0-1k", "1k-5k", "5k-20k",
            "20k+" (the upper end excluded), or "unknown".
        by_string: "identical" if the source word is one of its own gold translations, else
            "different".
    """

    p_at_1: float
    p_at_5: float
    p_at_10: float
    mrr: float
    p_at_1_interval: tuple[float, float]
    p_at_1_uncovered_as_errors: float
    by_frequency: Mapping[str, Share]
    by_string: Mapping[str, Share]

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers, lists and dicts."""
        return {**asdict(self), "p_at_1_interval": list(self.p_at_1_interval)}


@dataclass(frozen=True)
class Evaluation:
    """The scores of several rankers on the same units.

    Attributes:
        rules: The rules that were followed.
        depth: Candidates for each word: the rules', or the whole target vocabulary.
        covered: Units with a source word and at least one gold translation in the vocabularies.
        total: All units of the gold lexicon.
        copy_baseline: The precision at 1, over the scored units, of copying the source word.
        scores: By ranker.
        outcomes: By ranker, one for each scored unit, in the same order for all rankers.
        leaked_pairs: How many test pairs were training pairs; None if that is not known.
    """

    rules: ScoringRules
    depth: int
    covered: int
    total: int
    copy_baseline: float
    scores: Mapping[str, Scores]
    outcomes: Mapping[str, tuple[Outcome, ...]] = field(repr=False)
    leaked_pairs: int | None = None

    def __str__(self) -> str:
        shown = ", ".join(f"{name} {scores.p_at_1:.1%}" for name, scores in self.scores.items())
        return f"P@1 on {self.covered:,} of {self.total:,} test units: {shown}"

    @property
    def coverage(self) -> float:
        """Return the share of units that could be answered at all."""
        return self.covered / self.total

    @property
    def primary(self) -> Scores:
        """Return the scores of the ranker that the rules publish.

        Raises:
            SettingError: If that ranker was not evaluated.
        """
        if self.rules.primary not in self.scores:
            raise SettingError(
                f"the rules {self.rules.name!r} publish the ranker {self.rules.primary!r}, "
                f"but only {', '.join(self.scores)} was evaluated: add it to the rankers"
            )
        return self.scores[self.rules.primary]

    def to_dict(self) -> dict[str, object]:
        """Return all but the outcomes as plain values: rankers first, then what they share."""
        return {
            **{name: scores.to_dict() for name, scores in self.scores.items()},
            "covered": self.covered,
            "total": self.total,
            "coverage": self.coverage,
            "copy_baseline": self.copy_baseline,
            "rules": self.rules.name,
            "primary": self.rules.primary,
            "depth": self.depth,
            "leaked_pairs": self.leaked_pairs,
        }

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is not a dependency
        """Return one row a ranker as a pandas data frame.

        Raises:
            MissingExtraError: If pandas is not installed.
        """
        names = ("p_at_1", "p_at_5", "p_at_10", "mrr", "p_at_1_uncovered_as_errors")
        rows = [
            {"ranker": ranker, **{name: getattr(scores, name) for name in names}}
            for ranker, scores in self.scores.items()
        ]
        return import_extra("pandas", "a data frame needs").DataFrame(rows)
