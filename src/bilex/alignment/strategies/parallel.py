"""Parallel semi-supervision (PSS): two maps exchange messages (Zhao et al., 2020, figure 1b)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch

from bilex.alignment.quality import better_map
from bilex.alignment.strategies.rounds import (
    align,
    extend,
    first_pairs,
    learn,
    make_prior,
    notify,
    restored,
)
from bilex.config import require_at_least_one
from bilex.protocols import LexiconMessage, PriorMessage, SupervisedStep, UnsupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel:
    """Train a supervised and an unsupervised map side by side; they share only messages.

    Both start as Procrustes on the given pairs. The better by `selection` is the result:
    "transport", the paper's metric, is the transport cost of the aligned frequent words; "csls",
    the published code's, is the mean CSLS of the most frequent words with hubs removed.

    `restart_round` is the round in which the supervised map starts afresh from Procrustes on
    the extended lexicon: the published code does so in round 2, the paper does not say.
    """

    supervised: SupervisedStep
    prior: PriorMessage | None = None
    unsupervised: UnsupervisedStep
    lexicon_update: LexiconMessage | None = None
    rounds: int = 5
    selection: Literal["transport", "csls"] = "transport"
    restart_round: int | None = None

    def __post_init__(self) -> None:
        require_at_least_one("strategy", self, "rounds")

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
        """Return the better of the two maps."""
        done, supervised = restored(resume, "supervised", rng)
        _, unsupervised = restored(resume, "unsupervised", rng)
        pairs = first_pairs(spaces, lexicon, unsupervised or start, self.lexicon_update)
        if unsupervised is None:
            unsupervised = learn(None, spaces, pairs, start, rng)
        for number in range(done + 1, self.rounds + 1):
            origin = None if number == self.restart_round else supervised
            supervised = learn(self.supervised, spaces, pairs, origin, rng)
            prior = make_prior(self.prior, spaces, supervised)
            unsupervised = align(self.unsupervised, spaces, unsupervised, prior, rng)
            pairs = extend(self.lexicon_update, spaces, unsupervised, lexicon)
            if number < self.rounds:
                maps = {"supervised": supervised, "unsupervised": unsupervised}
                state = rng.get_state()
                notify(on_round, Round(number, self.rounds, maps, "supervised", len(pairs), state))
        assert supervised is not None  # noqa: S101 - there was at least one round
        return better_map(spaces, supervised, unsupervised, by=self.selection)

    def shortened(self, rounds: int) -> Parallel:
        """Return the same strategy with at most so many rounds."""
        return replace(self, rounds=min(self.rounds, rounds))
