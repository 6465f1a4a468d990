"""A first map by whichever way suits the two vocabularies."""

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
    """Begin with strings spelled alike if there are enough, else with the convex relaxation.

    Args:
        minimum: How many strings with letters are enough; numerals do not count, but are used.
    """

    minimum: int = 100

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise SettingError(f"start.minimum is {self.minimum}: give 1 or more")

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return the map of the start chosen, whose report says which and why."""
        alike = sum(not is_numeral(word) for word in strings_alike(spaces))
        chosen: Start = ConvexRelaxation()
        if alike >= self.minimum:
            chosen = IdenticalStrings(minimum=self.minimum)
        found = chosen.begin(spaces, rng=rng)
        return LinearMap(found.weight, {**found.report, "strings_alike": alike})
