"""One step, alone: the classic baselines."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import EmptyLexiconError, SettingError
from bilex.protocols import SupervisedStep, UnsupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """Learn in one step and stop: from the seed pairs, then from the shape of the spaces.

    With only a supervised step this is Procrustes or RCSLS; with an unsupervised step after it,
    transport started from the seeds; with a start instead of seeds, transport alone.
    """

    supervised: SupervisedStep | None = None
    unsupervised: UnsupervisedStep | None = None

    def __post_init__(self) -> None:
        if self.supervised is None and self.unsupervised is None:
            raise SettingError("strategy 'single' has no step: add a [supervised] table")

    def run(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
        on_round: OnRound | None = None,
        resume: Round | None = None,
    ) -> LinearMap:
        """Return the map of the last step; there is no round to tell of or to resume."""
        current = start
        if self.supervised is not None and len(lexicon):
            current = self.supervised.fit_map(pair, lexicon, rng=rng, start=start)
        if current is None:
            raise EmptyLexiconError("no seed pair and no start: give either")
        if self.unsupervised is not None:
            current = self.unsupervised.fit_map(pair, rng=rng, start=current)
        return current
