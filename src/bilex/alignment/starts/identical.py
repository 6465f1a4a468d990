"""A first map from words that are spelled the same in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from bilex.alignment.supervised.procrustes import Procrustes
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class IdenticalStrings:
    """Use identically spelled words as translations and learn a rotation from them (Procrustes).

    Names, numbers, loan words and foreign words make a noisy lexicon that is often good enough for
    a first map (Smith et al., 2017; Artetxe, Labaka & Agirre, 2017), even across scripts.

    Args:
        numerals: Whether to "include" strings of digits without letters, such as "1984", to
            "exclude" them, or to use "only" them.
        minimum: Raise an error if there are fewer identical strings than this.
    """

    numerals: Literal["include", "only", "exclude"] = "include"
    minimum: int = 10

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise SettingError(f"start.minimum is {self.minimum}: give 1 or more")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the rotation learned from identical strings; `rng` is not used.

        Raises:
            EmptyLexiconError: If there are too few identical strings.
        """
        alike = strings_alike(spaces)
        if self.numerals != "include":
            alike = [word for word in alike if is_numeral(word) == (self.numerals == "only")]
        if len(alike) < self.minimum:
            kind = {"include": "strings", "only": "numerals", "exclude": "non-numerals"}
            raise EmptyLexiconError(
                f"only {len(alike)} {kind[self.numerals]} are spelled the same in both "
                f"vocabularies, expected {self.minimum} or more (start.minimum): give a seed "
                "lexicon, or use a start that does not need identical spellings, such as 'convex'"
            )
        lexicon = IndexedLexicon.locate(Lexicon.of([(word, word) for word in alike]), spaces)
        found = Procrustes().fit_map(spaces, lexicon, rng=rng)
        return LinearMap(found.weight, {"start": "identical", "pairs": len(alike)})


def strings_alike(spaces: SpacePair) -> list[str]:
    """Return the strings that are in both vocabularies, in source order."""
    known = spaces.target.index
    return [word for word in spaces.source.index if word in known]


def is_numeral(word: str) -> bool:
    """Return whether a string has digits but no letters."""
    return not any(map(str.isalpha, word)) and any(map(str.isdigit, word))
