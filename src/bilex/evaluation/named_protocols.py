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
class Protocol:
    """What is scored, and what counts as right.

    Attributes:
        name: How results call it.
        unit: "source-word" scores each source word once, and any of its translations is right;
            "pair" scores each gold pair by itself, so a word with two translations counts twice
            and one candidate can be right for only one of them.
        uncovered: What becomes of gold pairs with a word outside the vocabularies. "dropped"
            forgets them; "error" keeps them, so that they count as wrong answers.
        case: "exact" compares words as they are. "lower" compares them lower-cased; of the words
            of a vocabulary that differ in case alone, only the most frequent is then asked for
            or accepted as a candidate.
        primary: The ranker whose score is the published one, such as "csls" or "nearest".
        depth: Candidates asked for each word. A translation further down adds nothing to the
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
        """Return `word` as this protocol compares it."""
        return word.lower() if self.case == "lower" else word


PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        protocol.name: protocol
        for protocol in (
            Protocol(name="muse", case="lower"),
            Protocol(name="vecmap"),
            Protocol(name="xling", unit="pair", case="lower", primary="nearest"),
            Protocol(name="strict", uncovered="error"),
        )
    }
)
"""MUSE (Conneau et al., 2018), VecMap (Artetxe et al., 2018), XLING (Glavaš et al., 2019), and
`strict`, which counts like fastText's aligned vectors (Joulin et al., 2018)."""


def resolve_protocol(protocol: Protocol | str) -> Protocol:
    """Return the protocol of this name, or the one given.

    Raises:
        SettingError: If no protocol has this name; the message lists those there are.
    """
    if isinstance(protocol, Protocol):
        return protocol
    if protocol not in PROTOCOLS:
        known = sorted(PROTOCOLS)
        raise SettingError(
            f"no evaluation protocol is called {protocol!r}{did_you_mean(protocol, known)}; "
            f"expected one of {', '.join(known)}, or a Protocol of your own"
        )
    return PROTOCOLS[protocol]
