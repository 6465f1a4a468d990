"""The results of an evaluation."""

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
    "lemmas",
)
"""The keys of `Evaluation.to_dict` besides the rankers' names; no ranker may have such a name."""


@dataclass(frozen=True, slots=True)
class Share:
    """Precision at 1 over some of the scored units, its 95 % interval, and their number."""

    p_at_1: float
    n: int
    p_at_1_interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LemmaScores:
    """Scores of one ranker by lemma: a candidate is correct if its lemma is that of a gold word."""

    p_at_1: float
    p_at_5: float
    p_at_10: float
    mrr: float
    p_at_1_interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one ranker, over the units that the rules score.

    Attributes:
        p_at_1: Share of units whose best candidate is correct.
        p_at_5: Share of units with a correct candidate among the 5 best.
        p_at_10: Share of units with a correct candidate among the 10 best.
        mrr: Mean of 1 / rank of the first correct candidate; 0 if none was retrieved.
        p_at_1_interval: 95 % bootstrap interval of `p_at_1`.
        p_at_1_uncovered_as_errors: Correct answers divided by all units, covered or not.
        by_frequency: By rank of the source word in its vocabulary: "0-1k", "1k-5k", "5k-20k",
            "20k+" (the upper end excluded), or "unknown".
        by_string: "identical" if the source word is one of its own gold translations, else
            "different".
        by_spelling: By the highest spelling similarity of the source word to a gold translation:
            "0-0.3" (dissimilar), "0.3-0.7", "0.7-1" (look-alikes). Words are compared without
            accents, in Latin letters.
        lemma: The scores by lemma; None if no lemmas were given.
    """

    p_at_1: float
    p_at_5: float
    p_at_10: float
    mrr: float
    p_at_1_interval: tuple[float, float]
    p_at_1_uncovered_as_errors: float
    by_frequency: Mapping[str, Share]
    by_string: Mapping[str, Share]
    by_spelling: Mapping[str, Share]
    lemma: LemmaScores | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the scores as plain numbers, lists and dicts."""
        return asdict(self, dict_factory=_with_lists)


@dataclass(frozen=True)
class Evaluation:
    """The scores of several rankers on the same units.

    Attributes:
        rules: The scoring rules.
        depth: Candidates per word: the depth of the rules, or the size of the target vocabulary
            if that is smaller.
        covered: Units with a source word and at least one gold translation in the vocabularies.
        total: All units of the gold lexicon.
        copy_baseline: The precision at 1, over the scored units, of copying the source word.
        scores: The scores of each ranker.
        outcomes: For each ranker, one outcome per scored unit, in the same order.
        leaked_pairs: How many test pairs were training pairs; None if unknown.
        lemmas: The name of the lemmas; None if none were given.
    """

    rules: ScoringRules
    depth: int
    covered: int
    total: int
    copy_baseline: float
    scores: Mapping[str, Scores]
    outcomes: Mapping[str, tuple[Outcome, ...]] = field(repr=False)
    leaked_pairs: int | None = None
    lemmas: str | None = None

    def __str__(self) -> str:
        shown = ", ".join(f"{name} {scores.p_at_1:.1%}" for name, scores in self.scores.items())
        return f"P@1 on {self.covered:,} of {self.total:,} test units: {shown}"

    @property
    def coverage(self) -> float:
        """Return the share of units that are covered by the vocabularies."""
        return self.covered / self.total

    @property
    def primary(self) -> Scores:
        """Return the scores of the primary ranker of the rules.

        Raises:
            SettingError: If that ranker was not evaluated.
        """
        if self.rules.primary not in self.scores:
            raise SettingError(
                f"the primary ranker of the rules {self.rules.name!r} is {self.rules.primary!r}, "
                f"but only {', '.join(self.scores)} was evaluated: add it to the rankers"
            )
        return self.scores[self.rules.primary]

    def to_dict(self) -> dict[str, object]:
        """Return everything except the outcomes as plain values: rankers first, then the rest."""
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
            "lemmas": self.lemmas,
        }

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is not a dependency
        """Return a `pandas.DataFrame` with one row per ranker.

        Each band of spelling similarity has a column, such as `p_at_1_spelling_0-0.3`.

        Raises:
            MissingExtraError: If pandas is not installed.
        """
        names = ("p_at_1", "p_at_5", "p_at_10", "mrr", "p_at_1_uncovered_as_errors")
        rows = [
            {
                "ranker": ranker,
                **{name: getattr(scores, name) for name in names},
                **({} if scores.lemma is None else {"p_at_1_lemma": scores.lemma.p_at_1}),
                **{f"p_at_1_spelling_{n}": share.p_at_1 for n, share in scores.by_spelling.items()},
            }
            for ranker, scores in self.scores.items()
        ]
        return import_extra("pandas", "a data frame needs").DataFrame(rows)


def _with_lists(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in items}
