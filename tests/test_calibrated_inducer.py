"""Training and using a model with probabilities."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from bilex import LexiconInducer, TrainedModel, evaluate
from bilex.alignment.training import TrainingInterrupted
from bilex.answers import Candidate
from bilex.calibration import HeldOutSeeds
from bilex.config import build_parts
from bilex.oov import AnyCase, Composition, Lemmas, WordResolver
from bilex.progress import WorkProgress
from bilex.values import Lexicon, Search
from candidates import (
    calibrated_method,
    calibrated_model,
    candidate_models,
    fit,
    nameless,
    noisy_twins,
    scored_model,
    with_candidate_models,
)
from schedules import short_preset
from twins import make_twins


def chances(candidates: tuple[Candidate, ...]) -> list[float]:
    found = [candidate.probability for candidate in candidates]
    assert None not in found
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("reverse", [False, True])
def test_translations_come_in_the_order_of_their_probabilities(reverse: bool) -> None:
    model = calibrated_model()
    candidate_model = candidate_models(model).model(reverse=reverse)
    assert candidate_model is not None
    assert candidate_model.reorders
    words = (model.target if reverse else model.source).words
    answers = model.translate(words, k=20, reverse=reverse)
    for answer in answers:
        found = chances(answer.candidates)
        assert found == sorted(found, reverse=True)
        assert all(0 <= chance <= 1 for chance in found)
    scores = [[c.score for c in answer.candidates] for answer in answers]
    assert any(row != sorted(row, reverse=True) for row in scores)


def test_a_better_order_is_found_where_words_look_alike() -> None:
    model = calibrated_model()
    fresh = [f"s{i}" for i in range(90, 150)]

    def right(answers: list[str]) -> int:
        return sum(word[1:] == answer[1:] for word, answer in zip(fresh, answers, strict=True))

    rankers = model.rankers()
    best = {
        name: right([answer.candidates[0].word for answer in ranker(fresh, 1)])
        for name, ranker in rankers.items()
    }
    assert set(best) == {"csls", "nearest", "calibrated"}
    assert best["calibrated"] > best["csls"] + 10


def test_the_order_of_scores_stays_where_probabilities_make_it_worse() -> None:
    model = scored_model()
    for answer in model.translate(model.source.words, k=8):
        scores = [candidate.score for candidate in answer.candidates]
        assert scores == sorted(scores, reverse=True)
        chances(answer.candidates)


def test_more_candidates_only_lengthen_the_list() -> None:
    model = calibrated_model()
    lists = [model.translate(["s3", "s120"], k=k) for k in (2, 20, 45, 999)]
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
    model = calibrated_model()
    resolvers: list[WordResolver] = [Lemmas({"gnu": "s7"}.get), AnyCase(), Composition()]
    words = ["gnu", "S8", "s1 s2", "s7", "nonsense"]
    found = model.translate(words, k=5, resolvers=resolvers)
    assert [answer.how for answer in found] == ["lemma", "case", "composed", "known", "unknown"]
    for answer in found[:4]:
        assert len(chances(answer.candidates)) == 5
    assert found[4].candidates == ()
    # Other words in the same call do not change the answer for a known word, to the last bit.
    assert found[3] == model.translate(["s7"], k=5)[0]


def test_many_words_are_answered_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    model = calibrated_model()
    resolvers = [AnyCase()]
    words = [f"{letter}{i}" for i in range(30) for letter in "sS"]
    together = model.translate(words, k=3, resolvers=resolvers)
    monkeypatch.setattr("bilex.candidates.ranking.Ranking.words_at_once", lambda *_: 7)
    for one, two in zip(together, model.translate(words, k=3, resolvers=resolvers), strict=True):
        assert [c.word for c in one.candidates] == [c.word for c in two.candidates]
        assert chances(one.candidates) == pytest.approx(chances(two.candidates), abs=1e-5)


def test_a_saved_model_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    model = calibrated_model()
    model.save(tmp_path / "one")
    loaded = TrainedModel.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    words = model.source.words
    assert loaded.translate(words, k=25) == model.translate(words, k=25)
    assert list(loaded.induce()) == list(model.induce())
    assert list(loaded.induce(reverse=True)) == list(model.induce(reverse=True))
    assert loaded.identity == model.identity


def test_same_random_state_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        fit(noisy_twins(), 40).save(tmp_path / name)
    for path in sorted((tmp_path / "one").iterdir()):
        if path.name != "report.json":  # has the time it took
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_identity_of_a_model_changes_with_all_that_its_answers_depend_on() -> None:
    twins = noisy_twins()
    assert fit(twins, 40).identity == fit(twins, 40).identity
    seeds = Lexicon(twins.lexicon.entries[:40])
    plain = LexiconInducer("procrustes").fit(twins.source, twins.target, seeds).model_
    others = [
        plain.identity,
        fit(twins, 41).identity,
        fit(twins, 40, parts=3).identity,
        fit(twins, 40, without=["strings"]).identity,
        fit(make_twins(150, dim=8, noise=0.3, draw=1), 40).identity,
    ]
    assert len({fit(twins, 40).identity, *others}) == 6
    assert all(len(identity) == 12 for identity in others)


def test_other_probabilities_are_those_of_another_model() -> None:
    model = fit(noisy_twins(), 40)
    known = candidate_models(model)
    assert known.forward is not None
    steeper = replace(known.forward, slope=2 * known.forward.slope)
    changed = with_candidate_models(model, replace(known, forward=steeper))
    assert changed.identity != model.identity


def test_an_interrupt_while_probabilities_are_learned_leaves_a_model(tmp_path: Path) -> None:
    twins = noisy_twins()
    inducer = LexiconInducer(calibrated_method())

    def stop(progress: WorkProgress) -> None:
        if progress.stage == "held-out seeds":
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted) as stopped:
        inducer.fit(
            twins.source, twins.target, Lexicon(twins.lexicon.entries[:60]), on_progress=stop
        )
    assert stopped.value.report.finished
    model = inducer.model_
    assert model.contents.candidate_models is None
    assert model.translate(["s1"], k=1)[0].candidates[0].probability is None
    model.save(tmp_path / "model")
    loaded = TrainedModel.load(tmp_path / "model")
    assert loaded.translate(["s1"]) == model.translate(["s1"])


def test_training_again_forgets_old_probabilities() -> None:
    twins = noisy_twins()
    inducer = LexiconInducer(calibrated_method())
    inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:40]))
    first = inducer.model_
    assert candidate_models(first).forward is not None
    inducer.fit(twins.source, twins.target, Lexicon(twins.lexicon.entries[:3]))
    assert candidate_models(inducer.model_).forward is None
    assert inducer.model_.translate(["s1"])[0].candidates[0].probability is None
    assert first.translate(["s1"])[0].candidates[0].probability is not None


def test_without_seeds_there_is_nothing_to_learn_from() -> None:
    twins = make_twins(150)
    same = type(twins.target)(
        tuple(f"s{word[1:]}" for word in twins.target.words), twins.target.vectors
    )
    model = LexiconInducer(calibrated_method(), start="identical").fit(twins.source, same).model_
    assert model.contents.candidate_models is None
    assert model.translate(["s5"])[0].candidates[0].word == "s5"


@pytest.mark.parametrize("size", [10, 12, 25])
def test_fifty_words_and_a_dozen_seeds_are_enough_for_probabilities(size: int) -> None:
    model = fit(make_twins(50, dim=3), size)
    assert candidate_models(model).forward is not None
    assert model.report.warnings == ()
    for answer in model.translate(model.source.words, k=20):
        chances(answer.candidates)
    assert list(model.induce())


def test_three_seeds_are_too_few_and_give_a_warning() -> None:
    model = fit(make_twins(50, dim=3), 3)
    assert "the seeds have 3 source words, too few" in model.report.warnings[-1]
    assert model.translate(["s1"])[0].candidates[0].probability is None
    assert set(model.rankers()) == {"csls", "nearest"}


def test_more_of_the_bar_is_for_searches_of_very_many_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = nameless(make_twins(60, dim=10, noise=0.05))

    def before_index(search: Search) -> float:
        seen: list[WorkProgress] = []
        inducer = LexiconInducer(short_preset("css"), search=search)
        inducer.fit(twins.source, twins.target, twins.lexicon, on_progress=seen.append)
        return next(progress.share for progress in seen if progress.stage == "index")

    few = before_index("auto")
    monkeypatch.setattr("bilex.inducer.is_approximate", lambda compute, words: True)
    assert before_index("auto") < few - 0.1
    assert before_index("approximate") == few  # training searches approximately, too


def test_the_preset_css_learns_probabilities() -> None:
    tables = short_preset("css")
    assert tables["calibration"]["name"] == "held-out-seeds"
    twins = nameless(make_twins(120, dim=10, noise=0.05))
    seen: list[WorkProgress] = []
    inducer = LexiconInducer(tables).fit(
        twins.source,
        twins.target,
        Lexicon(twins.lexicon.entries[:60]),
        on_progress=seen.append,
    )
    stages = ["training", "held-out seeds", "probabilities", "index"]
    assert list(dict.fromkeys(progress.stage for progress in seen)) == stages
    shares = [progress.share for progress in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert all(progress.share <= progress.until <= 1 for progress in seen)
    model = inducer.model_
    assert build_parts(model.contents.config)["calibration"] == HeldOutSeeds()
    best = model.translate([e.source for e in twins.lexicon.entries[60:]], k=1)
    assert sum(chances(answer.candidates)[0] for answer in best) / len(best) > 0.8


USING = """
import sys
import bilex
from bilex import Lexicon

model = bilex.load(sys.argv[1])
print(model.translate(["s3"], k=2)[0])
print(model.translate(["t3"], k=2, reverse=True)[0])
print(sum(1 for _ in model.induce(min_precision=0.8)))
gold = Lexicon.of([(f"s{i}", f"t{i}") for i in range(90, 150)])
print(model.evaluate(gold))
print(bilex.evaluate(model, gold, reverse=True))
"""
IMPORTED = """
training = ("bilex.alignment", "bilex.calibration", "bilex.inducer")
print([name for name in sys.modules if name.startswith(training) or name == "sklearn"])
"""


def test_a_model_is_used_without_importing_the_code_that_trains(tmp_path: Path) -> None:
    model = calibrated_model()
    model.save(tmp_path / "model")
    command = [sys.executable, "-c", USING + IMPORTED, str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603
    assert done.stderr == ""
    gold = Lexicon(noisy_twins().lexicon.entries[90:])
    assert done.stdout.splitlines() == [
        str(model.translate(["s3"], k=2)[0]),
        str(model.translate(["t3"], k=2, reverse=True)[0]),
        str(len(list(model.induce(min_precision=0.8)))),
        str(evaluate(model, gold)),
        str(evaluate(model, gold, reverse=True)),
        "[]",
    ]
