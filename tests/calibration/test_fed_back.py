"""Calibration with feedback: the map is learned again, and judged by maps treated alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer
from bilex.calibration import Calibration, CandidateModel, ConfidentPairs, HeldOutSeeds
from bilex.calibration.learning import JudgedCandidates, learn
from bilex.errors import SettingError
from bilex.messages import MutualPairs
from bilex.retrieval import Csls
from bilex.strategies import Bootstrap
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, Lexicon, LinearMap, SpacePair
from candidates import nameless
from schedules import short_preset
from twins import Twins, make_twins

SEEDS = 40
Pairs = set[tuple[int, int]]


@dataclass(frozen=True)
class Recording:
    """Learns a rotation, and remembers from which pairs."""

    seen: list[Pairs] = field(default_factory=list)

    def fit_map(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        self.seen.append(pairs_of(lexicon))
        return Procrustes().fit_map(pair, lexicon, rng=rng)


def pairs_of(lexicon: IndexedLexicon) -> Pairs:
    return set(zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True))


@pytest.fixture
def twins() -> Twins:
    return make_twins(160, dim=8, noise=0.2)


def calibrate(
    twins: Twins,
    last: Recording,
    feedback: ConfidentPairs | None,
    told: list[tuple[int, int]] | None = None,
    seeds: int = SEEDS,
) -> Calibration:
    def on_part(done: int, total: int) -> None:
        if told is not None:
            told.append((done, total))

    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:seeds]), twins.pair)
    return HeldOutSeeds(rounds=3, feedback=feedback).calibrate(
        twins.pair,
        located,
        Procrustes().fit_map(twins.pair, located, rng=torch.Generator()),
        strategy=Bootstrap(supervised=last, lexicon_update=MutualPairs()),
        retrieval=Csls(),
        rng=torch.Generator().manual_seed(0),
        on_part=on_part,
    )


def test_all_maps_learn_again_from_probable_pairs(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[tuple[float, ...]] = []

    def watched(found: JudgedCandidates, names: tuple[str, ...]) -> CandidateModel | None:
        learned.append(tuple(found.frequency_ranks.tolist()))
        return learn(found, names)

    monkeypatch.setattr("bilex.calibration.held_out.learn", watched)
    last, told = Recording(), list[tuple[int, int]]()
    found = calibrate(twins, last, ConfidentPairs(least=0.3), told)
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:SEEDS]), twins.pair)
    seeds = pairs_of(located)
    _, _, everything, one, other = last.seen  # the first two: trained on half of the seeds each
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    # All words teach the map itself; the words a map has not seen teach what feeds it nothing.
    whole, of_other, of_one, forward, _ = learned
    assert set(of_one) | set(of_other) == set(whole) == set(forward)
    assert not set(of_one) & set(of_other)
    for again, taught in ((one, of_other), (other, of_one)):
        kept = {int(rank) - 1 for rank in taught}  # words that taught what fed this map
        assert {pair for pair in seeds if pair[0] in kept} <= again
        assert len(again) > SEEDS
    assert seeds < everything
    assert found.mapping is not None
    ids = torch.tensor(sorted(everything))
    all_pairs = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(len(ids)))
    expected = Procrustes().fit_map(twins.pair, all_pairs, rng=torch.Generator())
    torch.testing.assert_close(found.mapping.weight, expected.weight, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.second.weight, expected.weight, atol=1e-5, rtol=0)


def test_without_feedback_the_map_stays(twins: Twins) -> None:
    last, told = Recording(), list[tuple[int, int]]()
    assert calibrate(twins, last, None, told).mapping is None
    assert len(last.seen) == 2
    assert told == [(1, 2), (2, 2)]


def test_nothing_is_fed_back_if_too_little_is_probable(twins: Twins) -> None:
    last, told = Recording(), list[tuple[int, int]]()
    assert calibrate(twins, last, ConfidentPairs(least=1.0), told).mapping is None
    assert len(last.seen) == 2  # a map learned from the seeds alone would be worse
    assert told == [(1, 4), (2, 4)]


def test_nothing_is_fed_back_where_nothing_was_learned() -> None:
    twins = nameless(make_twins(60, dim=8))
    entries = [("s0", entry.target) for entry in twins.lexicon.entries[:12]]
    same = twins._replace(lexicon=Lexicon.of(entries))
    last = Recording()
    assert calibrate(same, last, ConfidentPairs(), seeds=12).mapping is None
    assert last.seen == []


def test_a_model_takes_the_better_map_and_keeps_it(twins: Twins, tmp_path: Path) -> None:
    tables = short_preset("bilex")
    seeds = Lexicon(twins.lexicon.entries[:SEEDS])
    without = {part: table for part, table in tables.items() if part != "feedback"}
    fed, plain = (
        LexiconInducer(each).fit(twins.source, twins.target, seeds) for each in (tables, without)
    )
    assert not torch.equal(fed.map_.weight, plain.map_.weight)
    assert fed.calibration_ is not None
    assert fed.calibration_.mapping is None
    assert fed.training_report_.map["pairs"] != plain.training_report_.map["pairs"]
    fed.save(tmp_path / "model")
    loaded = LexiconInducer.load(tmp_path / "model")
    words = twins.source.words
    assert loaded.translate(words, k=3) == fed.translate(words, k=3)
    assert loaded.identity == fed.identity


def test_rounds_below_one_are_refused() -> None:
    with pytest.raises(SettingError, match=r"calibration\.rounds is 0, expected 1 or more"):
        HeldOutSeeds(rounds=0)
