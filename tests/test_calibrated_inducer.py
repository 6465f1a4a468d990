"""The front door with probabilities."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from bilex import LexiconInducer
from bilex.calibration import HeldOutSeeds
from bilex.errors import NotFittedError
from bilex.training import TrainingInterrupted
from bilex.unknown_words import AnyCase, Composition, Lemmas, Speller
from bilex.values import Candidate, Lexicon
from candidates import (
    calibrated_method,
    calibrated_model,
    fit,
    nameless,
    noisy_twins,
    scored_model,
)
from schedules import short_preset
from twins import make_twins


def chances(candidates: tuple[Candidate, ...]) -> list[float]:
    told = [candidate.probability for candidate in candidates]
    assert None not in told
    return told  # type: ignore[return-value]


@pytest.mark.parametrize("reverse", [False, True])
def test_translations_come_in_the_order_of_their_probabilities(reverse: bool) -> None:
    inducer = calibrated_model()
    calibration = inducer.calibration_
    assert calibration is not None
    model = calibration.model(reverse=reverse)
    assert model is not None
    assert model.reorders
    words = (inducer.target_ if reverse else inducer.source_).words
    answers = inducer.translate(words, k=20, reverse=reverse)
    for answer in answers:
        told = chances(answer.candidates)
        assert told == sorted(told, reverse=True)
        assert all(0 <= chance <= 1 for chance in told)
    scores = [[c.score for c in answer.candidates] for answer in answers]
    assert any(row != sorted(row, reverse=True) for row in scores)


def test_a_better_order_is_found_where_words_look_alike() -> None:
    inducer = calibrated_model()
    fresh = [f"s{i}" for i in range(90, 150)]

    def right(answers: list[str]) -> int:
        return sum(word[1:] == answer[1:] for word, answer in zip(fresh, answers, strict=True))

    rankers = inducer.rankers()
    best = {
        name: right([answer.candidates[0].word for answer in ranker(fresh, 1)])
        for name, ranker in rankers.items()
    }
    assert set(best) == {"csls", "nearest", "calibrated"}
    assert best["calibrated"] > best["csls"] + 10


def test_the_order_of_scores_stays_where_probabilities_make_it_worse() -> None:
    inducer = scored_model()
    for answer in inducer.translate(inducer.source_.words, k=8):
        scores = [candidate.score for candidate in answer.candidates]
        assert scores == sorted(scores, reverse=True)
        chances(answer.candidates)


def test_more_candidates_only_lengthen_the_list() -> None:
    inducer = calibrated_model()
    lists = [inducer.translate(["s3", "s120"], k=k) for k in (2, 20, 45, 999)]
    for shorter, longer in pairwise(lists):
        for one, two in zip(shorter, longer, strict=True):
            assert two.candidates[: len(one.candidates)] == one.candidates
    everything = lists[-1][0].candidates
    assert len(everything) == 150
    assert all(candidate.probability is not None for candidate in everything[:20])
    beyond = everything[20:]
    assert all(candidate.probability is None for candidate in beyond)
    assert [c.score for c in beyond] == sorted((c.score for c in beyond), reverse=True)


def test_words_outside_the_vocabulary_get_probabilities_too() -> None:
    inducer = calibrated_model()
    spellers: list[Speller] = [Lemmas({"gnu": "s7"}.get), AnyCase(), Composition()]
    asked = ["gnu", "S8", "s1 s2", "s7", "nonsense"]
    found = inducer.translate(asked, k=5, spellers=spellers)
    assert [answer.how for answer in found] == ["lemma", "case", "composed", "known", "unknown"]
    for answer in found[:4]:
        assert len(chances(answer.candidates)) == 5
    assert found[4].candidates == ()
    # Known words are answered to the last bit alike, whoever is asked beside them.
    assert found[3] == inducer.translate(["s7"], k=5)[0]


def test_many_words_are_answered_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    inducer = calibrated_model()
    spellers = [AnyCase()]
    words = [f"{letter}{i}" for i in range(30) for letter in "sS"]
    together = inducer.translate(words, k=3, spellers=spellers)
    monkeypatch.setattr("bilex.calibration.answering.words_at_once", lambda *_: 7)
    for one, two in zip(together, inducer.translate(words, k=3, spellers=spellers), strict=True):
        assert [c.word for c in one.candidates] == [c.word for c in two.candidates]
        assert chances(one.candidates) == pytest.approx(chances(two.candidates), abs=1e-5)


def test_a_saved_model_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    inducer = calibrated_model()
    inducer.save(tmp_path / "one")
    loaded = LexiconInducer.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    words = inducer.source_.words
    assert loaded.translate(words, k=25) == inducer.translate(words, k=25)
    assert list(loaded.induce()) == list(inducer.induce())
    assert list(loaded.induce(reverse=True)) == list(inducer.induce(reverse=True))
    assert loaded.identity == inducer.identity


def test_same_random_state_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        fit(noisy_twins(), 40).save(tmp_path / name)
    for path in sorted((tmp_path / "one").iterdir()):
        if path.name != "report.json":  # tells how long it took
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_a_models_identity_is_that_of_all_its_answers_depend_on() -> None:
    twins = noisy_twins()
    assert fit(twins, 40).identity == fit(twins, 40).identity
    seeds = Lexicon(twins.lexicon.entries[:40])
    plain = LexiconInducer("procrustes").fit(twins.source, twins.target, seeds)
    others = [
        plain.identity,
        fit(twins, 41).identity,
        fit(twins, 40, parts=3).identity,
        fit(twins, 40, without=["strings"]).identity,
        fit(make_twins(150, dim=8, noise=0.3, draw=1), 40).identity,
    ]
    assert len({fit(twins, 40).identity, *others}) == 6
    assert all(len(identity) == 12 for identity in others)


def test_probabilities_that_come_otherwise_are_those_of_another_model() -> None:
    inducer = fit(noisy_twins(), 40)
    before, calibration = inducer.identity, inducer.calibration_
    assert calibration is not None
    assert calibration.forward is not None
    steeper = replace(calibration.forward, slope=2 * calibration.forward.slope)
    inducer.calibration_ = replace(calibration, forward=steeper)
    assert inducer.identity != before


def test_a_model_that_was_not_fitted_has_no_identity() -> None:
    for ask in (
        lambda: LexiconInducer().identity,
        lambda: LexiconInducer().require_probabilities(),
    ):
        with pytest.raises(NotFittedError, match=r"call fit\(\) or load\(\)"):
            ask()


def test_an_interrupt_while_probabilities_are_learned_leaves_a_model(tmp_path: Path) -> None:
    twins = noisy_twins()
    inducer = LexiconInducer(calibrated_method())

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted) as stopped:
        inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:60]), on_part=stop)
    assert stopped.value.report.finished
    assert inducer.calibration_ is None
    assert inducer.translate(["s1"], k=1)[0].candidates[0].probability is None
    inducer.save(tmp_path / "model")
    loaded = LexiconInducer.load(tmp_path / "model")
    assert loaded.translate(["s1"]) == inducer.translate(["s1"])


def test_training_again_forgets_old_probabilities() -> None:
    twins = noisy_twins()
    inducer = fit(twins, 40)
    assert inducer.calibration_ is not None
    inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:3]))
    assert inducer.calibration_.forward is None
    assert inducer.translate(["s1"])[0].candidates[0].probability is None


def test_without_seeds_there_is_nothing_to_learn_from() -> None:
    twins = make_twins(150)
    same = type(twins.target)(
        tuple(f"s{word[1:]}" for word in twins.target.words), twins.target.vectors
    )
    inducer = LexiconInducer(calibrated_method(), start="identical").fit(twins.source, same)
    assert inducer.calibration_ is None
    assert inducer.translate(["s5"])[0].candidates[0].word == "s5"


@pytest.mark.parametrize("size", [10, 12, 25])
def test_fifty_words_and_a_dozen_seeds_are_enough_for_probabilities(size: int) -> None:
    inducer = fit(make_twins(50, dim=3), size)
    assert inducer.calibration_ is not None
    assert inducer.training_report_.warnings == []
    for answer in inducer.translate(inducer.source_.words, k=20):
        chances(answer.candidates)
    assert list(inducer.induce())


def test_three_seeds_are_too_few_and_a_warning_says_so() -> None:
    inducer = fit(make_twins(50, dim=3), 3)
    assert "3 source words among the seeds are too few" in inducer.training_report_.warnings[-1]
    assert inducer.translate(["s1"])[0].candidates[0].probability is None
    assert set(inducer.rankers()) == {"csls", "nearest"}


def test_the_default_preset_for_few_seeds_learns_probabilities() -> None:
    tables = short_preset("css")
    assert tables["calibration"]["name"] == "held-out-seeds"
    twins = nameless(make_twins(120, dim=10, noise=0.05))
    told: list[tuple[int, int]] = []
    inducer = LexiconInducer(tables).fit(
        twins.source,
        twins.target,
        Lexicon(twins.lexicon.entries[:60]),
        on_part=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]
    assert inducer.parts_["calibration"] == HeldOutSeeds()
    best = inducer.translate([e.source for e in twins.lexicon.entries[60:]], k=1)
    assert sum(chances(answer.candidates)[0] for answer in best) / len(best) > 0.8
