from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path

import pytest
import torch

from bilex import BilexWarning, LexiconInducer, TrainedModel
from bilex.alignment.seed_check import check_seeds
from bilex.alignment.training import TrainingInterrupted
from bilex.errors import InputFileError
from bilex.values import (
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    Round,
    RoundReport,
    SeedCheck,
    TrainingReport,
)
from candidates import calibrated_method
from schedules import short_preset
from twins import Twins, make_twins

SCHEDULE = {"strategy.rounds": 3, "supervised.steps": 5, "unsupervised.steps": 3}


def short(preset: str = "css-paper") -> dict[str, dict[str, object]]:
    return short_preset(preset, SCHEDULE)


def test_good_seeds_raise_no_warning() -> None:
    twins = make_twins(100)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = check_seeds(twins.spaces, located, rng=torch.Generator())
    assert (found.pairs, found.held_out, found.p_at_1, found.p_at_10) == (100, 20, 1.0, 1.0)
    assert found.warning is None


def test_pairs_that_do_not_fit_the_vectors_give_a_warning() -> None:
    twins = make_twins(2_000, dim=10)
    shifted = Lexicon.of([(f"s{i}", f"t{(i + 1) % 2_000}") for i in range(1_000)])
    located = IndexedLexicon.locate(shifted, twins.spaces)
    found = check_seeds(twins.spaces, located, rng=torch.Generator())
    assert found.warning is not None
    assert "the pairs do not fit the vectors" in found.warning
    assert "that the words of a row are translations" in found.warning


def test_too_few_pairs_for_the_dimensions_give_a_warning() -> None:
    twins = make_twins(2_000, dim=80)
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:60]), twins.spaces)
    shuffled = IndexedLexicon(located.source_ids, located.target_ids.flip(0), located.weights)
    found = check_seeds(twins.spaces, shuffled, rng=torch.Generator())
    assert found.warning is not None
    assert "60 usable pairs are few for 80 dimensions" in found.warning


def test_a_handful_of_pairs_cannot_be_checked(twins: Twins) -> None:
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:9]), twins.spaces)
    found = check_seeds(twins.spaces, located, rng=torch.Generator())
    assert (found.held_out, found.p_at_1, found.warning) == (0, None, None)


@pytest.mark.parametrize(("quality", "pairs", "count"), [(2.0, 20, 1), (0.0, 20, 0), (2.0, 40, 0)])
def test_a_poor_map_of_few_pairs_gives_a_warning(
    monkeypatch: pytest.MonkeyPatch, quality: float, pairs: int, count: int
) -> None:
    monkeypatch.setattr("bilex.alignment.training.SOUND_QUALITY", quality)
    twins = make_twins(100, dim=40)
    seeds = Lexicon(twins.lexicon.entries[:pairs])
    model = LexiconInducer("procrustes").fit(twins.source, twins.target, seeds).model_
    warnings = model.report.warnings
    assert len(warnings) == count
    assert all("from 20 usable seed pairs" in warning for warning in warnings)
    assert all("expect most translations to be wrong" in warning for warning in warnings)


def test_a_second_attempt_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bilex.alignment.strategies.bootstrap.LOST", 2.0)
    twins = make_twins(300, dim=60, noise=0.02)
    alike = EmbeddingSpace(
        tuple(word.replace("t", "s") for word in twins.target.words), twins.target.vectors
    )
    seeds = Lexicon.of([(f"s{i}", f"s{i}") for i in range(3)])
    inducer = LexiconInducer(short_preset("bilex", {"supervised.steps": 5}))
    model = inducer.fit(twins.source, alike, seeds).model_
    report = model.report
    assert report.map["second_attempt"] == {
        "start": "identical",
        "pairs": 300,
        "strings_alike": 300,
    }
    assert "a first map found without seeds (start 'identical')" in report.warnings[0]
    answers = model.translate([f"s{i}" for i in range(300)], k=1)
    assert all(answer.candidates[0].word == answer.word for answer in answers)


def test_the_report_has_every_round(tmp_path: Path) -> None:
    twins = make_twins(120)
    seen: list[tuple[Round, RoundReport]] = []
    inducer = LexiconInducer(short())
    inducer.fit(
        twins.source,
        twins.target,
        Lexicon(twins.lexicon.entries[:60]),
        on_round=lambda done, found: seen.append((done, found)),
    )
    report = inducer.model_.report
    assert report.finished
    assert [found.number for found in report.rounds] == [1, 2]
    assert tuple(found for _, found in seen) == report.rounds
    assert all(found.transport_cost is not None for found in report.rounds)
    assert report.rounds[0].pairs > 60
    inducer.model_.save(tmp_path / "m")
    written = json.loads((tmp_path / "m" / "report.json").read_text(encoding="utf-8"))
    assert written["finished"] is True
    assert TrainedModel.load(tmp_path / "m").report == report


@pytest.mark.parametrize("preset", ["css-paper", "pss-paper", "self-learning"])
@pytest.mark.parametrize("stop", [1, 2])
def test_a_run_resumes_from_disk_to_the_same_bytes(tmp_path: Path, preset: str, stop: int) -> None:
    twins = make_twins(120, noise=0.1)
    seeds = Lexicon(twins.lexicon.entries[:40])
    inducer = LexiconInducer(short(preset))
    checkpoint = inducer.checkpoint(tmp_path / "c", twins.source, twins.target, seeds)

    def keep(done: Round, _: RoundReport) -> None:
        if done.number <= stop:
            checkpoint.write(done)

    inducer.fit(twins.source, twins.target, seeds, on_round=keep)
    again = LexiconInducer(short(preset))
    done = again.checkpoint(tmp_path / "c", twins.source, twins.target, seeds).read()
    assert done.number == stop
    again.fit(twins.source, twins.target, seeds, resume=done)
    assert torch.equal(inducer.model_.mapping.weight, again.model_.mapping.weight)
    checkpoint.remove()
    assert not (tmp_path / "c").exists()


def test_a_checkpoint_belongs_to_its_run(tmp_path: Path) -> None:
    twins = make_twins(60)
    inducer = LexiconInducer(short())
    path = tmp_path / "c"
    mine = inducer.checkpoint(path, twins.source, twins.target, twins.lexicon)
    with pytest.raises(InputFileError, match="no such checkpoint: run without --resume"):
        mine.read()
    rounds: list[Round] = []
    inducer.fit(
        twins.source, twins.target, twins.lexicon, on_round=lambda done, _: rounds.append(done)
    )
    mine.write(rounds[0])
    for other in (
        LexiconInducer(short(), random_state=1),
        LexiconInducer(short("pss-paper")),
    ):
        with pytest.raises(InputFileError, match="belongs to a run with other files"):
            other.checkpoint(path, twins.source, twins.target, twins.lexicon).read()
    path.write_bytes(b"nonsense")
    with pytest.raises(InputFileError, match="is damaged"):
        mine.read()


def test_an_interrupt_leaves_a_usable_model(tmp_path: Path) -> None:
    twins = make_twins(120)

    def stop(done: Round, _: RoundReport) -> None:
        if done.number == 2:
            raise KeyboardInterrupt

    inducer = LexiconInducer(short())
    with pytest.raises(TrainingInterrupted) as caught:
        inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:60]), on_round=stop)
    assert [found.number for found in caught.value.report.rounds] == [1, 2]
    assert not inducer.model_.report.finished
    inducer.model_.save(tmp_path / "m")
    loaded = TrainedModel.load(tmp_path / "m")
    assert loaded.translate(["s70"], k=1)[0].candidates[0].word == "t70"


def test_an_interrupt_before_the_first_round_is_just_an_interrupt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = make_twins(60)

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bilex.alignment.supervised.rcsls.Rcsls.fit_map", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        LexiconInducer(short()).fit(twins.source, twins.target, twins.lexicon)
    assert not isinstance(caught.value, TrainingInterrupted)


def test_checks_and_reports_do_not_change_what_is_learned() -> None:
    """The early check and the reports must not draw from the generator of training."""
    twins = make_twins(100, noise=0.2)
    watched = LexiconInducer(short()).fit(
        twins.source, twins.target, twins.lexicon, on_round=lambda *_: None
    )
    alone = LexiconInducer(short()).fit(twins.source, twins.target, twins.lexicon)
    assert torch.equal(watched.model_.mapping.weight, alone.model_.mapping.weight)


def test_a_report_is_the_same_after_json() -> None:
    report = TrainingReport(
        seeds=SeedCheck(9, 2, 0.5, 1.0, None),
        rounds=(RoundReport(1, 2, 3, 0.5, None, -0.25, 0.125),),
        warnings=("w",),
        map={"step": "x"},
        seconds=2.0,
        calibration_seconds=0.5,
        feedback_pairs=7,
        doubtful_seeds=(("a", "b"),),
    )
    assert TrainingReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@pytest.mark.parametrize(
    ("quality", "advice"),
    [
        (0.02, "check translations before you use it"),
        (0.07, "expect most translations to be wrong"),
        (0.2, "as for a good map: still check a sample"),
    ],
)
def test_a_run_without_seeds_warns_how_far_to_trust_it(
    quality: float, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bilex.alignment.training.mean_csls", lambda *_, **__: quality)
    twins = make_twins(60, dim=5)
    words = tuple(f"w{word[1:]}" for word in twins.source.words)
    alike = [EmbeddingSpace(words, space.vectors) for space in (twins.source, twins.target)]
    inducer = LexiconInducer(short("wasserstein-procrustes"), start="identical")
    report = inducer.fit(alike[0], alike[1]).model_.report
    assert advice in report.warnings[-1]
    assert f"{quality:.3f}" in report.warnings[-1]


def test_python_users_are_warned_of_a_poor_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bilex.alignment.training.mean_csls", lambda *_, **__: 0.02)
    twins = make_twins(100, dim=40)
    inducer = LexiconInducer("procrustes")
    with pytest.warns(
        BilexWarning, match="from 20 usable seed pairs.*check translations before"
    ) as all_:
        inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:20]))
    assert [str(each.message) for each in all_] == list(inducer.model_.report.warnings)
    assert all_[0].filename == __file__  # of the caller, not of bilex


def test_python_users_are_warned_of_too_few_seeds_for_probabilities() -> None:
    twins = make_twins(50, dim=3)
    inducer = LexiconInducer(calibrated_method())
    with pytest.warns(BilexWarning, match="too few to learn probabilities from") as all_:
        inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:5]))
    assert [str(each.message) for each in all_] == list(inducer.model_.report.warnings)


def test_python_users_are_warned_of_doubtful_seeds() -> None:
    twins = make_twins(300, dim=8, noise=0.05)
    wrong = [(f"s{i}", f"t{300 - i}") for i in range(100, 120)]
    seeds = Lexicon.of([(f"s{i}", f"t{i}") for i in range(100)] + wrong)
    inducer = LexiconInducer(calibrated_method())
    with pytest.warns(BilexWarning, match="of 120 seed pairs look wrong; check them: ") as all_:
        inducer.fit(twins.source, twins.target, seeds)
    doubtful = inducer.model_.report.doubtful_seeds
    shown = ", ".join(f"{source} → {target}" for source, target in doubtful[:5])
    assert len(doubtful) > 5
    assert [str(each.message) for each in all_] == [
        f"{len(doubtful)} of 120 seed pairs look wrong; check them: {shown}, …"
    ]


def test_python_users_are_warned_of_seeds_that_another_spelling_would_cover() -> None:
    twins = make_twins(60)
    entries = [(f"S{i}" if i < 30 else f"s{i}", f"t{i}") for i in range(60)]
    with pytest.warns(BilexWarning, match="lower"):
        LexiconInducer("procrustes", any_case=False).fit(
            twins.source, twins.target, Lexicon.of(entries)
        )


def test_a_good_run_warns_of_nothing() -> None:
    twins = make_twins(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LexiconInducer(calibrated_method()).fit(twins.source, twins.target, twins.lexicon)


def test_rounds_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    twins = make_twins(120)
    with caplog.at_level(logging.INFO, logger="bilex.alignment.training"):
        inducer = LexiconInducer(short()).fit(twins.source, twins.target, twins.lexicon)
    rounds = inducer.model_.report.rounds
    assert len(rounds) == 2
    records = [each for each in caplog.records if each.name == "bilex.alignment.training"]
    assert [each.levelno for each in records] == [logging.INFO] * 2
    assert [each.getMessage() for each in records] == [
        f"round {done.number} of at most 3: {done.pairs:,} pairs, mean CSLS {done.mean_csls:.4f}"
        for done in rounds
    ]
