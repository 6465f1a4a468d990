"""The protocol of calibrators."""

from __future__ import annotations

from typing import Protocol

import torch

from bilex.calibration.cross_fitting import CrossFit
from bilex.protocols import Retriever, Strategy
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair


class Calibrator(Protocol):
    """Trains maps without some of the seeds, so that probabilities can be learned from them."""

    def cross_fit(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        mapping: LinearMap,
        *,
        strategy: Strategy,
        retrieval: Retriever,
        rng: torch.Generator,
        on_part: Progress | None = None,
    ) -> CrossFit:
        """Return the trained map together with maps trained without some of the seeds.

        Args:
            spaces: The normalized spaces.
            lexicon: The seeds.
            mapping: The map trained on all seeds.
            strategy: The strategy that trained it.
            retrieval: Finds candidates.
            rng: Random generator.
            on_part: Called after each part of the seeds.
        """
        ...
