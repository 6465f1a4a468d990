"""The feedback stage: all maps are trained again, on pairs that are probable."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.alignment.feedback import ConfidentPairs, train_again
from bilex.alignment.messages import MutualPairs
from bilex.alignment.strategies import Bootstrap
from bilex.alignment.supervised import Procrustes
from bilex.calibration import CrossFit, HeldOutSeeds
from bilex.calibration.labels import LabeledCandidates
from bilex.calibration.learning import learn
from bilex.candidates.model import CandidateModel
from bilex.config import override
from bilex.errors import SettingError
from bilex.retrieval import Csls
from bilex.values import IndexedLexicon, Lexicon, LinearMap, Matrix, SpacePair
from candidates import candidate_models, nameless
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
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        self.seen.append(pairs_of(lexicon))
        return Procrustes().fit_map(spaces, lexicon, rng=rng)


def pairs_of(lexicon: IndexedLexicon) -> Pairs:
    return set(zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True))


@pytest.fixture
def twins() -> Twins:
    return make_twins(160, dim=8, noise=0.2)


class Stages(NamedTuple):
    """Maps before and after the feedback stage, and what the stage reported."""

    before: CrossFit
    after: CrossFit
    added: int
    parts_done: list[tuple[int, int]]


def run_stages(
    twins: Twins, last: Recording, feedback: ConfidentPairs, seeds: int = SEEDS
) -> Stages:
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:seeds]), twins.spaces)
    strategy = Bootstrap(supervised=last, lexicon_update=MutualPairs())
    rng = torch.Generator().manual_seed(0)
    before = HeldOutSeeds(rounds=3).cross_fit(
        twins.spaces,
        located,
        Procrustes().fit_map(twins.spaces, located, rng=torch.Generator()),
        strategy=strategy,
        retrieval=Csls(),
        rng=rng,
    )
    again = partial(train_again, twins.spaces, feedback=feedback, strategy=strategy, rng=rng)
    done: list[tuple[int, int]] = []
    after, added = before.improved(again, lambda number, total: done.append((number, total)))
    return Stages(before, after, added, done)


def test_all_maps_learn_again_from_probable_pairs(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[tuple[float, ...]] = []

    def watched(
        found: LabeledCandidates, names: tuple[str, ...], ordinary: Matrix | None = None
    ) -> CandidateModel | None:
        learned.append(tuple(found.frequency_ranks.tolist()))
        return learn(found, names, ordinary)

    monkeypatch.setattr("bilex.calibration.cross_fitting.learn", watched)
    last = Recording()
    found = run_stages(twins, last, ConfidentPairs(least=0.3))
    models = found.after.learn()
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:SEEDS]), twins.spaces)
    seeds = pairs_of(located)
    _, _, everything, one, other = last.seen  # the first two: trained on half of the seeds each
    assert found.parts_done == [(1, 3), (2, 3), (3, 3)]
    # The model that feeds the map itself learns from all words; the model that feeds a map of a
    # part does not learn from the words that the map has not seen.
    whole, of_other, of_one, forward, _ = learned
    assert set(of_one) | set(of_other) == set(whole) == set(forward)
    assert not set(of_one) & set(of_other)
    for again, ranks in ((one, of_other), (other, of_one)):
        kept = {int(rank) - 1 for rank in ranks}  # words of the model that fed this map
        assert {pair for pair in seeds if pair[0] in kept} <= again
        assert len(again) > SEEDS
    assert seeds < everything
    assert found.added == len(everything) - SEEDS
    ids = torch.tensor(sorted(everything))
    all_pairs = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(len(ids)))
    expected = Procrustes().fit_map(twins.spaces, all_pairs, rng=torch.Generator())
    maps = found.after.maps
    torch.testing.assert_close(maps.first.weight, expected.weight, atol=1e-5, rtol=0)
    torch.testing.assert_close(maps.second.weight, expected.weight, atol=1e-5, rtol=0)
    assert models.second is maps.second


def test_nothing_is_fed_back_if_too_little_is_probable(twins: Twins) -> None:
    last = Recording()
    found = run_stages(twins, last, ConfidentPairs(least=1.0))
    assert (found.after, found.added) == (found.before, 0)
    assert len(last.seen) == 2  # a map learned from the seeds alone would be worse
    assert found.parts_done == []


def test_nothing_is_fed_back_where_nothing_was_learned() -> None:
    twins = nameless(make_twins(60, dim=8))
    entries = [("s0", entry.target) for entry in twins.lexicon.entries[:12]]
    same = twins._replace(lexicon=Lexicon.of(entries))
    last = Recording()
    found = run_stages(same, last, ConfidentPairs(), seeds=12)
    assert (found.after, found.added) == (found.before, 0)
    assert last.seen == []


def test_wrong_seeds_are_left_out_of_the_feedback_stage() -> None:
    twins = make_twins(300, dim=8, noise=0.05)
    wrong = [(f"s{i}", f"t{300 - i}") for i in range(100, 120)]
    pairs = [(f"s{i}", f"t{i}") for i in range(100)] + wrong
    last = Recording()
    found = run_stages(
        twins._replace(lexicon=Lexicon.of(pairs)), last, ConfidentPairs(least=0.3), len(pairs)
    )
    rows = {
        (twins.source.index[source], twins.target.index[target])
        for source, target in found.before.doubtful_seeds()
    }
    assert found.added
    assert len(rows) >= 15
    _, _, everything, one, other = last.seen
    for again in (everything, one, other):
        assert not rows & again


class Fitted(NamedTuple):
    """A model, and the progress that was reported while it was trained."""

    model: TrainedModel
    stages: list[str]


@pytest.fixture(scope="module")
def fitted() -> dict[str, Fitted]:
    """Train models with feedback, without it, and with feedback that finds nothing probable."""
    tables = short_preset("bilex")
    methods = {
        "fed": tables,
        "plain": {part: table for part, table in tables.items() if part != "feedback"},
        "nothing probable": override(tables, "feedback.least=1.0"),
    }
    return {name: fit(make_twins(160, dim=8, noise=0.2), each) for name, each in methods.items()}


def fit(twins: Twins, tables: dict[str, dict[str, object]]) -> Fitted:
    stages: list[str] = []
    inducer = LexiconInducer(tables).fit(
        twins.source,
        twins.target,
        Lexicon(twins.lexicon.entries[:SEEDS]),
        on_progress=lambda progress: stages.append(progress.stage),
    )
    return Fitted(inducer.model_, stages)


def test_a_model_takes_the_better_map_and_keeps_it(
    fitted: dict[str, Fitted], tmp_path: Path
) -> None:
    fed, plain = fitted["fed"].model, fitted["plain"].model
    assert not torch.equal(fed.mapping.weight, plain.mapping.weight)
    assert candidate_models(fed).forward is not None
    assert fed.report.feedback_pairs
    assert plain.report.feedback_pairs is None
    assert fed.report.map["pairs"] == SEEDS + fed.report.feedback_pairs
    assert fed.report.map["pairs"] != plain.report.map["pairs"]
    assert fed.report.mean_csls != plain.report.mean_csls
    fed.save(tmp_path / "model")
    loaded = TrainedModel.load(tmp_path / "model")
    words = fed.source.words
    assert loaded.translate(words, k=3) == fed.translate(words, k=3)
    assert loaded.identity == fed.identity
    assert loaded.report == fed.report


def test_progress_counts_the_parts_of_both_stages(fitted: dict[str, Fitted]) -> None:
    again = "training again on probable pairs"
    counts = {name: each.stages.count(again) for name, each in fitted.items()}
    assert counts["fed"] == 4  # as it begins, then the map and those of both parts
    assert counts["plain"] == 0
    assert counts["nothing probable"] == 1
    assert all(each.stages.count("held-out seeds") == 3 for each in fitted.values())


def test_without_probable_pairs_the_map_stays(fitted: dict[str, Fitted]) -> None:
    found, plain = fitted["nothing probable"].model, fitted["plain"].model
    assert found.report.feedback_pairs == 0
    assert torch.equal(found.mapping.weight, plain.mapping.weight)


def test_feedback_needs_calibration() -> None:
    tables = {part: table for part, table in short_preset("bilex").items() if part != "calibration"}
    with pytest.raises(SettingError, match=r"\[feedback\] needs the probabilities of \[calib"):
        LexiconInducer(tables).check()


def test_rounds_below_one_are_refused() -> None:
    with pytest.raises(SettingError, match=r"calibration\.rounds is 0, expected 1 or more"):
        HeldOutSeeds(rounds=0)
