"""One supervised step, alone: the classic baselines."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.protocols import SupervisedStep
from bilex.values import IndexedLexicon, LinearMap, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """Learn from the given pairs in one supervised step and stop."""

    supervised: SupervisedStep

    def run(self, pair: SpacePair, lexicon: IndexedLexicon, *, rng: torch.Generator) -> LinearMap:
        """Return the map of the one step."""
        return self.supervised.fit_map(pair, lexicon, rng=rng)
