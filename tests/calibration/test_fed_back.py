"""Calibration with feedback: the map is learned again, and judged by maps treated alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer
from bilex.calibration import Calibration, ConfidentPairs, HeldOutSeeds
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


def test_maps_that_have_not_seen_a_part_learn_nothing_of_its_words(twins: Twins) -> None:
    last, told = Recording(), list[tuple[int, int]]()
    found = calibrate(twins, last, ConfidentPairs(least=0.3), told)
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:SEEDS]), twins.pair)
    seeds = pairs_of(located)
    *first, one, other, everything = last.seen
    assert len(first) == 2  # trained on half of the seeds each
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    held_out = []
    for again in (one, other):
        gone = seeds - again
        held_out.append(gone)
        assert len(gone) == SEEDS // 2
        sources, targets = {s for s, _ in gone}, {t for _, t in gone}
        assert not [pair for pair in again if pair[0] in sources or pair[1] in targets]
        assert len(again) > SEEDS  # probable pairs of other words
    assert held_out[0] | held_out[1] == seeds
    assert seeds < everything
    assert found.mapping is not None
    ids = torch.tensor(sorted(everything))
    learned = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(len(ids)))
    expected = Procrustes().fit_map(twins.pair, learned, rng=torch.Generator())
    torch.testing.assert_close(found.mapping.weight, expected.weight, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.second.weight, expected.weight, atol=1e-5, rtol=0)


def test_without_feedback_the_map_stays(twins: Twins) -> None:
    last, told = Recording(), list[tuple[int, int]]()
    assert calibrate(twins, last, None, told).mapping is None
    assert len(last.seen) == 2
    assert told == [(1, 2), (2, 2)]


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
