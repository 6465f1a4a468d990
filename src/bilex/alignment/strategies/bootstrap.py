"""Bootstrapping: a rough map finds pairs, which give a better map, and so on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch

from bilex.alignment.quality import mean_csls
from bilex.alignment.strategies.rounds import first_pairs, notify, restored
from bilex.alignment.supervised.procrustes import Procrustes, SeedSpan
from bilex.config import require_at_least_one
from bilex.errors import EmptyLexiconError, SettingError
from bilex.protocols import LexiconMessage, Start, SupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair

LOST = 0.07
"""Mean CSLS of best matches below which a rotation counts as wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Let closed-form maps find their own pairs until these settle, then learn from them once.

    The first map acts only on the directions that the seeds span (`SeedSpan`): with 100 seeds it
    is right two to four times as often as Procrustes' rotation, which decides whether the next
    rounds improve. If they do not, a second attempt begins at a map that needs no seeds, and the
    better of the two is used. The early rounds use rotations; the supervised step, which costs
    more than all of them, is taken once, in the last round.

    Attributes:
        supervised: The last step.
        lexicon_update: What finds pairs.
        start: Where a second attempt begins; None for no second attempt.
        rounds: At most so many, the last one included. With 1, the supervised step learns from
            the pairs as they are given. Rounds of a second attempt are not reported.
        first: What the first map is learned by; "procrustes" is there for comparison.
        power: Of the first map, see `SeedSpan`.
        settled: Go on to the last round when this share of the pairs was there the round before.
    """

    supervised: SupervisedStep
    lexicon_update: LexiconMessage
    start: Start | None = None
    rounds: int = 15
    first: Literal["seed-span", "procrustes"] = "seed-span"
    power: float = 0.5
    settled: float = 0.9

    def __post_init__(self) -> None:
        require_at_least_one("strategy", self, "rounds")
        if not 0 < self.settled <= 1:
            raise SettingError(
                f"strategy.settled is {self.settled}: give a share above 0, at most 1"
            )
        if not 0 <= self.power <= 1:
            raise SettingError(f"strategy.power is {self.power}: give a number from 0 to 1")

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
        """Return the map of the supervised step, with a warning if it took a second attempt."""
        done, current = restored(resume, "current", rng)
        total = self.rounds if resume is None else resume.total
        known, pairs = self._rotate(
            spaces, lexicon, current or start, rng, done=done, total=total, on_round=on_round
        )
        begun = self._begin_again(spaces, lexicon, known, rng)
        if begun is not None:
            other, found = self._rotate(spaces, lexicon, begun, rng, total=self.rounds)
            if _quality(spaces, other) > _quality(spaces, known):
                known, pairs = other, found
            else:
                begun = None
        learned = self.supervised.fit_map(spaces, pairs, rng=rng, start=known)
        if begun is None:
            return learned
        report = {**learned.report, "second_attempt": dict(begun.report)}
        return LinearMap(learned.weight, report, (*learned.warnings, _began_again(begun)))

    def shortened(self, rounds: int) -> Bootstrap:
        """Return the same strategy with at most so many rounds."""
        return replace(self, rounds=min(self.rounds, rounds))

    def _rotate(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        known: LinearMap | None,
        rng: torch.Generator,
        *,
        done: int = 0,
        total: int,
        on_round: OnRound | None = None,
    ) -> tuple[LinearMap | None, IndexedLexicon]:
        """Let rotations find pairs until these settle; return the last one and its pairs."""
        pairs = first_pairs(spaces, lexicon, known, self.lexicon_update)
        for number in range(done + 1, self.rounds):
            if number == total:  # settled, maybe before the run was interrupted
                break
            spanned = known is None and self.first == "seed-span"
            step = SeedSpan(power=self.power) if spanned else Procrustes()
            known = step.fit_map(spaces, pairs, rng=rng)
            before, pairs = pairs, self.lexicon_update.extend(spaces, known, lexicon)
            total = number + 1 if _kept(before, pairs) >= self.settled else self.rounds
            maps = {"current": known}
            notify(on_round, Round(number, total, maps, "current", len(pairs), rng.get_state()))
        return known, pairs

    def _begin_again(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        known: LinearMap | None,
        rng: torch.Generator,
    ) -> LinearMap | None:
        """Return a map for a second attempt, if training from the seeds gave one that is wrong."""
        if self.start is None or not len(lexicon) or _quality(spaces, known) >= LOST:
            return None
        try:
            return self.start.begin(spaces, rng=rng)
        except EmptyLexiconError:  # it needs what these languages do not have
            return None


def _began_again(begun: LinearMap) -> str:
    return (
        "training from the seed pairs alone gave a map that looks wrong, so it began again from a "
        f"map that needs none (start {begun.report.get('start')!r}): check a sample of the "
        "translations before you use them"
    )


def _quality(spaces: SpacePair, mapping: LinearMap | None) -> float:
    """Return the mean CSLS of a map; infinity if there is none, since nothing is wrong yet."""
    return torch.inf if mapping is None else mean_csls(spaces, mapping, hub_limit=None)


def _kept(before: IndexedLexicon, after: IndexedLexicon) -> float:
    """Return the share of pairs that were there before."""
    width = 1 + int(torch.cat([before.target_ids, after.target_ids]).max())
    old, new = (pairs.source_ids * width + pairs.target_ids for pairs in (before, after))
    return float(torch.isin(new, old).float().mean())
