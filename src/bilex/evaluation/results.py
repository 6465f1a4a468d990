"""What an evaluation found, ready to print, save or compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from bilex.errors import SettingError
from bilex.evaluation.named_protocols import Protocol
from bilex.evaluation.outcomes import Outcome

SHARED_KEYS = ("covered", "total", "coverage", "copy_baseline", "protocol", "primary", "depth")
"""The keys of `Evaluation.to_dict` beside the rankers' names, which no ranker may take."""


@dataclass(frozen=True, slots=True)
class Share:
    """Precision at 1 over some of the scored units, and how many these are."""

    p_at_1: float
    n: int


@dataclass(frozen=True, slots=True)
class Scores:
    """How well one ranker did, over the units that the protocol scores.

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
        protocol: The rules that were followed.
        depth: Candidates asked for each word: the protocol's, or the whole target vocabulary.
        covered: Units with a source word and at least one gold translation in the vocabularies.
        total: All units of the gold lexicon.
        copy_baseline: The precision at 1, over the scored units, of copying the source word.
        scores: By ranker.
        outcomes: By ranker, one for each scored unit, in the same order for all rankers.
    """

    protocol: Protocol
    depth: int
    covered: int
    total: int
    copy_baseline: float
    scores: Mapping[str, Scores]
    outcomes: Mapping[str, tuple[Outcome, ...]] = field(repr=False)

    @property
    def coverage(self) -> float:
        """Return the share of units that could be answered at all."""
        return self.covered / self.total

    @property
    def primary(self) -> Scores:
        """Return the scores of the ranker that the protocol publishes.

        Raises:
            SettingError: If that ranker was not evaluated.
        """
        if self.protocol.primary not in self.scores:
            raise SettingError(
                f"protocol {self.protocol.name!r} publishes the ranker {self.protocol.primary!r}, "
                f"but only {', '.join(self.scores)} was evaluated: add it to the rankers"
            )
        return self.scores[self.protocol.primary]

    def to_dict(self) -> dict[str, object]:
        """Return all but the outcomes as plain values: rankers first, then what they share."""
        return {
            **{name: scores.to_dict() for name, scores in self.scores.items()},
            "covered": self.covered,
            "total": self.total,
            "coverage": self.coverage,
            "copy_baseline": self.copy_baseline,
            "protocol": self.protocol.name,
            "primary": self.protocol.primary,
            "depth": self.depth,
        }
