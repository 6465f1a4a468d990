"""Parallel semi-supervision (PSS): two maps that exchange messages (Zhao et al., 2020)."""

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
    """Train a supervised and an unsupervised map in parallel (Zhao et al., 2020, figure 1b).

    Both maps start from Procrustes on the given pairs. They influence each other only through the
    prior and the lexicon update. The better of the two is the result.

    Attributes:
        supervised: Learns the supervised map from the pairs of a round.
        prior: Turns the supervised map into a prior for the unsupervised step.
        unsupervised: Improves the unsupervised map by transport.
        lexicon_update: Finds the pairs of the next round with the unsupervised map.
        rounds: Number of rounds.
        selection: How the better map is chosen: "transport" by the transport cost of frequent
            words, as in the paper; "csls" by the mean CSLS of frequent words without hubs, as in
            the published code.
        restart_round: The round in which the supervised map starts again from Procrustes on the
            extended lexicon. The published code does so in round 2; the paper does not mention it.
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
        """Return the same strategy with at most `rounds` rounds."""
        return replace(self, rounds=min(self.rounds, rounds))
