"""A first map by the start that suits the two vocabularies."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.alignment.starts.convex import ConvexRelaxation
from bilex.alignment.starts.identical import IdenticalStrings, is_numeral, strings_alike
from bilex.errors import SettingError
from bilex.protocols import Start
from bilex.values import LinearMap, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Automatic:
    """Use identically spelled words if there are enough, otherwise the convex relaxation.

    Args:
        minimum: The smallest number of identical words with letters. Numerals are not counted, but
            they are used.
    """

    minimum: int = 100

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise SettingError(f"start.minimum is {self.minimum}: give 1 or more")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the map of the chosen start; its report names the start and the reason."""
        alike = sum(not is_numeral(word) for word in strings_alike(spaces))
        chosen: Start = ConvexRelaxation()
        if alike >= self.minimum:
            chosen = IdenticalStrings(minimum=self.minimum)
        found = chosen.begin(spaces, rng=rng)
        return LinearMap(found.weight, {**found.report, "strings_alike": alike})
