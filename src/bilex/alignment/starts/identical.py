"""A first map from strings that both languages spell alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from bilex.alignment.supervised.procrustes import Procrustes
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class IdenticalStrings:
    """Take strings spelled alike for translations, and rotate by them (Procrustes).

    Names, numbers, loan words and foreign words make a noisy lexicon that is often good enough
    to begin with (Smith et al., 2017; Artetxe, Labaka & Agirre, 2017), even across scripts.

    Args:
        numerals: Whether to "include" strings of digits without letters, such as "1984", to
            "exclude" them, or to take them "only".
        minimum: Refuse to begin with fewer strings than this.
    """

    numerals: Literal["include", "only", "exclude"] = "include"
    minimum: int = 10

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise SettingError(f"start.minimum is {self.minimum}: give 1 or more")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the rotation of the strings spelled alike; nothing is drawn from `rng`.

        Raises:
            EmptyLexiconError: If there are too few.
        """
        alike = strings_alike(spaces)
        if self.numerals != "include":
            alike = [word for word in alike if is_numeral(word) == (self.numerals == "only")]
        if len(alike) < self.minimum:
            kind = {"include": "strings", "only": "numerals", "exclude": "non-numerals"}
            raise EmptyLexiconError(
                f"only {len(alike)} {kind[self.numerals]} are spelled alike in both vocabularies, "
                f"start.minimum asks for {self.minimum}: give a seed lexicon, or another start "
                "that needs no common spelling, such as 'convex'"
            )
        lexicon = IndexedLexicon.locate(Lexicon.of([(word, word) for word in alike]), spaces)
        found = Procrustes().fit_map(spaces, lexicon, rng=rng)
        return LinearMap(found.weight, {"start": "identical", "pairs": len(alike)})


def strings_alike(spaces: SpacePair) -> list[str]:
    """Return the strings that are in both vocabularies, in the order of the source."""
    known = spaces.target.index
    return [word for word in spaces.source.index if word in known]


def is_numeral(word: str) -> bool:
    """Tell whether a string has digits but no letters."""
    return not any(map(str.isalpha, word)) and any(map(str.isdigit, word))
