"""A single step: the classic baselines."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import EmptyLexiconError, SettingError
from bilex.protocols import LexiconMessage, SupervisedStep, UnsupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """Run a supervised step, an unsupervised step, or one after the other.

    With only a supervised step, this is Procrustes or RCSLS. With both, transport starts from the
    supervised map. With a start instead of seeds, it is transport alone.

    Attributes:
        supervised: Learns a map from the seed pairs.
        unsupervised: Improves the map by transport.
    """

    supervised: SupervisedStep | None = None
    unsupervised: UnsupervisedStep | None = None

    def __post_init__(self) -> None:
        if self.supervised is None and self.unsupervised is None:
            raise SettingError("strategy 'single' has no step: add a [supervised] table")

    def run(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
        on_round: OnRound | None = None,
        resume: Round | None = None,
    ) -> LinearMap:
        """Return the map of the last step; `on_round` and `resume` are not used."""
        current = start
        if self.supervised is not None and len(lexicon):
            current = self.supervised.fit_map(spaces, lexicon, rng=rng, start=start)
        if current is None:
            raise EmptyLexiconError("there are no seed pairs and no start: give one of the two")
        if self.unsupervised is not None:
            current = self.unsupervised.fit_map(spaces, rng=rng, start=current)
        return current

    @property
    def rounds(self) -> int:
        """Return 1: there are no rounds."""
        return 1

    @property
    def lexicon_update(self) -> LexiconMessage | None:
        """Return None: no pairs are found during a run."""
        return None

    def shortened(self, rounds: int) -> Single:
        """Return this strategy: one round cannot be shortened."""
        return self
