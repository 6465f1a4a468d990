"""Cyclic semi-supervision (CSS): one map, improved by each step in turn (Zhao et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

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
from bilex.errors import SettingError
from bilex.protocols import LexiconMessage, PriorMessage, SupervisedStep, UnsupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Cyclic:
    """Improve one map by supervised and unsupervised steps in turn (Zhao et al., 2020, figure 1a).

    Leaving out a part is an ablation of the paper. Without `prior`, transport does not use the
    pairs. Without `lexicon_update`, only the given pairs are used. Without `unsupervised`, it is
    the self-learning of Artetxe et al. (2017). Without `supervised`, only transport changes the
    map.

    Attributes:
        supervised: Learns a map from the pairs of a round.
        prior: Turns the supervised map into a prior for the unsupervised step.
        unsupervised: Improves the map by transport.
        lexicon_update: Finds the pairs of the next round.
        rounds: Number of rounds; the last one ends after the supervised step.
    """

    supervised: SupervisedStep | None = None
    prior: PriorMessage | None = None
    unsupervised: UnsupervisedStep | None = None
    lexicon_update: LexiconMessage | None = None
    rounds: int = 5

    def __post_init__(self) -> None:
        require_at_least_one("strategy", self, "rounds")
        if self.supervised is None and self.unsupervised is None:
            raise SettingError("strategy 'cyclic' has no step: add a [supervised] table")
        if self.prior is not None and self.unsupervised is None:
            raise SettingError("[prior] has no effect without [unsupervised]: remove it")
        if self.lexicon_update is not None and self.supervised is None:
            raise SettingError("[lexicon_update] has no effect without [supervised]: remove it")

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
        """Return the map after the supervised step of the last round."""
        done, current = restored(resume, "current", rng)
        pairs = first_pairs(spaces, lexicon, current or start, self.lexicon_update)
        for number in range(done + 1, self.rounds + 1):
            learned = learn(self.supervised, spaces, pairs, current or start, rng)
            if number == self.rounds and self.supervised is not None:
                return learned
            prior = make_prior(self.prior, spaces, learned)
            current = align(self.unsupervised, spaces, learned, prior, rng)
            pairs = extend(self.lexicon_update, spaces, current, lexicon)
            maps = {"current": current, "learned": learned}
            notify(
                on_round, Round(number, self.rounds, maps, "current", len(pairs), rng.get_state())
            )
        assert current is not None  # noqa: S101 - there was at least one round
        return current

    def shortened(self, rounds: int) -> Cyclic:
        """Return the same strategy with at most `rounds` rounds."""
        return replace(self, rounds=min(self.rounds, rounds))
