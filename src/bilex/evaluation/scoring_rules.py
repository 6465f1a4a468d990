"""The scoring rules of published benchmarks, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from bilex.errors import SettingError
from bilex.registry import did_you_mean

SMALLEST_DEPTH = 10
"""Precision at 10 needs ten candidates."""


def _check_choice(setting: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingError(
            f"{setting} is {value!r}{did_you_mean(value, choices)}, "
            f"expected one of {', '.join(choices)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringRules:
    """What is scored, and what counts as correct.

    Attributes:
        name: The name of the rules in results.
        unit: "source-word" scores each source word once, and any of its translations is correct.
            "pair" scores each gold pair separately, so a word with two translations counts twice
            and a candidate is correct for only one of them.
        uncovered: How to treat gold pairs with a word outside the vocabularies: "dropped" leaves
            them out, "error" counts them as wrong answers.
        case: "exact" compares words as they are. "lower" compares them in lower case; of the words
            of a vocabulary that differ only in case, only the most frequent is used.
        primary: The ranker whose score is reported first, such as "csls" or "nearest".
        depth: Candidates per word. A correct translation at a lower rank adds nothing to the mean
            reciprocal rank, where it would have added less than 1 / depth.
    """

    name: str
    unit: Literal["source-word", "pair"] = "source-word"
    uncovered: Literal["dropped", "error"] = "dropped"
    case: Literal["lower", "exact"] = "exact"
    primary: str = "csls"
    depth: int = 100

    def __post_init__(self) -> None:
        _check_choice("unit", self.unit, ("source-word", "pair"))
        _check_choice("uncovered", self.uncovered, ("dropped", "error"))
        _check_choice("case", self.case, ("lower", "exact"))
        if self.depth < SMALLEST_DEPTH:
            raise SettingError(
                f"depth is {self.depth}, expected {SMALLEST_DEPTH} or more: "
                "precision at 10 needs ten candidates"
            )

    def fold(self, word: str) -> str:
        """Return `word` in the form that is compared."""
        return word.lower() if self.case == "lower" else word


SCORING_RULES: Mapping[str, ScoringRules] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            ScoringRules(name="muse", case="lower"),
            ScoringRules(name="vecmap"),
            ScoringRules(name="xling", unit="pair", case="lower", primary="nearest"),
            ScoringRules(name="strict", uncovered="error"),
        )
    }
)
"""The rules of MUSE (Conneau et al., 2018), VecMap (Artetxe et al., 2018) and XLING (Glavaš et al.,
2019), and `strict`, the rules of fastText's aligned vectors (Joulin et al., 2018)."""


def resolve_rules(rules: ScoringRules | str) -> ScoringRules:
    """Return the rules of this name; `ScoringRules` are returned unchanged.

    Raises:
        SettingError: If no rules have this name; the message lists the names.
    """
    if isinstance(rules, ScoringRules):
        return rules
    if rules not in SCORING_RULES:
        known = sorted(SCORING_RULES)
        raise SettingError(
            f"no scoring rules are called {rules!r}{did_you_mean(rules, known)}; "
            f"expected one of {', '.join(known)}, or your own `ScoringRules`"
        )
    return SCORING_RULES[rules]
