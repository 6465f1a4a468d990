"""Maps that have not seen some of the seeds."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch

from bilex.calibration import HeldOutSeeds
from bilex.calibration.unseen_maps import relearned, retrained, with_rounds
from bilex.messages import MutualPairs
from bilex.protocols import LexiconMessage
from bilex.retrieval import Csls
from bilex.strategies import Single
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, Lexicon, LinearMap, OnRound, Round, SpacePair
from twins import Twins, make_twins

WORDS, SEEDS = 60, 24


@dataclass(frozen=True)
class Recording:
    """Learns a rotation, and remembers from which pairs and in how many rounds."""

    lexicon_update: LexiconMessage | None = None
    rounds: int = 6
    seen: list[tuple[int, set[tuple[str, str]]]] = field(default_factory=list)

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
        self.seen.append((self.rounds, named(pair, lexicon)))
        return Procrustes().fit_map(pair, lexicon, rng=rng)


def named(pair: SpacePair, lexicon: IndexedLexicon) -> set[tuple[str, str]]:
    rows = zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True)
    return {(pair.source.words[i], pair.target.words[j]) for i, j in rows}


def locate(twins: Twins, pairs: list[tuple[str, str]]) -> IndexedLexicon:
    return IndexedLexicon.locate(Lexicon.of(pairs), twins.pair)


def right(numbers: range) -> list[tuple[str, str]]:
    return [(f"s{i}", f"t{i}") for i in numbers]


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def twins() -> Twins:
    return make_twins(WORDS, dim=6, noise=0.02)


@pytest.fixture
def away() -> torch.Tensor:
    return torch.arange(SEEDS) < 8


def test_what_was_learned_of_unseen_words_is_taken_out(twins: Twins, away: torch.Tensor) -> None:
    # What the map found for words of unseen seeds is wrong: it shows if any of it is left.
    poison = [("s1", "t40"), ("s41", "t2"), ("s3", "t4")]
    sound = right(range(SEEDS, 50))
    known = locate(twins, [*right(range(SEEDS)), *poison, *sound])
    strategy = Recording(MutualPairs())
    maps = relearned(
        twins.pair, known, locate(twins, right(range(SEEDS))), away, strategy=strategy, rng=rng()
    )
    ((rounds, seen),) = strategy.seen
    assert rounds == 1
    assert not seen & set(poison)
    assert set(right(range(8, SEEDS))) | set(sound) <= seen
    # The rest is what a rotation of these finds for the unseen words by itself.
    expected = set(right(range(8, SEEDS))) | set(sound)
    rotation = Procrustes().fit_map(twins.pair, locate(twins, sorted(expected)), rng=rng())
    kept = locate(twins, right(range(8, SEEDS)))
    proposed = named(twins.pair, MutualPairs().extend(twins.pair, rotation, kept))
    gone = {word for pair in right(range(8)) for word in pair}
    assert seen - expected == {pair for pair in proposed - expected if gone & set(pair)}
    assert seen - expected  # nearly twins: it finds them
    again = Procrustes().fit_map(twins.pair, locate(twins, sorted(seen)), rng=rng())
    torch.testing.assert_close(maps.second.weight, again.weight, atol=1e-5, rtol=0)


def test_a_strategy_that_finds_no_pairs_learns_from_the_kept_seeds(
    twins: Twins, away: torch.Tensor
) -> None:
    strategy = Recording()
    seeds = locate(twins, right(range(SEEDS)))
    relearned(twins.pair, seeds, seeds, away, strategy=strategy, rng=rng())
    assert strategy.seen == [(1, set(right(range(8, SEEDS))))]


def test_a_kept_seed_stays_though_its_answer_is_unseen(twins: Twins) -> None:
    seeds = locate(twins, [*right(range(SEEDS)), ("s30", "t0")])
    strategy = Recording(MutualPairs())
    away = torch.arange(SEEDS + 1) < 1
    relearned(twins.pair, seeds, seeds, away, strategy=strategy, rng=rng())
    assert ("s30", "t0") in strategy.seen[0][1]


@pytest.mark.parametrize(("rounds", "parts", "expected"), [(9, 3, 3), (6, 5, 2), (1, 2, 1)])
def test_training_anew_shares_the_rounds_out(
    twins: Twins, rounds: int, parts: int, expected: int
) -> None:
    strategy = Recording(rounds=rounds)
    retrained(twins.pair, locate(twins, right(range(9))), strategy=strategy, parts=parts, rng=rng())
    assert strategy.seen == [(expected, set(right(range(9))))]


def test_a_strategy_without_rounds_stays_as_it_is() -> None:
    single = Single(supervised=Procrustes())
    assert with_rounds(single, 1) is single


@pytest.mark.parametrize("learned_from", [False, True])
def test_calibration_takes_what_was_learned_from_if_it_is_told(
    twins: Twins, learned_from: bool
) -> None:
    seeds, strategy = locate(twins, right(range(SEEDS))), Recording(MutualPairs())
    told = locate(twins, [*right(range(SEEDS)), ("s50", "t51")])
    HeldOutSeeds(maps="relearned").calibrate(
        twins.pair,
        seeds,
        LinearMap(twins.rotation),
        strategy=strategy,
        retrieval=Csls(),
        rng=rng(),
        learned_from=told if learned_from else None,
    )
    assert [rounds for rounds, _ in strategy.seen] == [1, 1]
    assert all((("s50", "t51") in seen) == learned_from for _, seen in strategy.seen)
    assert all((("s50", "t50") in seen) != learned_from for _, seen in strategy.seen)
