"""The rules by which published scores were counted, each with its name."""

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
    """What is scored, and what counts as right.

    Attributes:
        name: How results call it.
        unit: "source-word" scores each source word once, and any of its translations is right;
            "pair" scores each gold pair by itself, so a word with two translations counts twice
            and one candidate can be right for only one of them.
        uncovered: What becomes of gold pairs with a word outside the vocabularies. "dropped"
            forgets them; "error" keeps them, so that they count as wrong answers.
        case: "exact" compares words as they are. "lower" compares them lower-cased; of the words
            of a vocabulary that differ in case alone, only the most frequent is then searched
            or accepted as a candidate.
        primary: The ranker whose score is the published one, such as "csls" or "nearest".
        depth: Candidates for each word. A translation further down adds nothing to the
            mean reciprocal rank, where it would have added less than about 1 / depth.
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
        """Return `word` as these rules compare it."""
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
"""MUSE (Conneau et al., 2018), VecMap (Artetxe et al., 2018), XLING (Glavaš et al., 2019), and
`strict`, which counts like fastText's aligned vectors (Joulin et al., 2018)."""


def resolve_rules(rules: ScoringRules | str) -> ScoringRules:
    """Return the rules of this name, or the one given.

    Raises:
        SettingError: If no rules have this name; the message lists those there are.
    """
    if isinstance(rules, ScoringRules):
        return rules
    if rules not in SCORING_RULES:
        known = sorted(SCORING_RULES)
        raise SettingError(
            f"no scoring rules are called {rules!r}{did_you_mean(rules, known)}; "
            f"expected one of {', '.join(known)}, or `ScoringRules` of your own"
        )
    return SCORING_RULES[rules]
