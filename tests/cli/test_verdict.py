"""The end of `bilex fit`: how good the model is, and what to do next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from bilex.cli import screen
from bilex.cli.verdict import DictionarySize, HeldOut, Verdict, judge
from candidates import calibrated_model
from conftest_types import Bilex


def sentences(p_at_1: float, words: int, low: float, high: float) -> list[str]:
    return list(Verdict(HeldOut(words, p_at_1, (low, high)), None).sentences())


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            (0.704, 230, 0.64, 0.76),
            "About 7 in 10 first answers are right (70 % of 230 seed words that were held out of "
            "training).",
        ),
        (
            (0.98, 1_200, 0.97, 0.99),
            "More than 9 in 10 first answers are right (98 % of 1,200 seed words that were held "
            "out of training).",
        ),
        (
            (0.01, 400, 0.0, 0.03),
            "Fewer than 1 in 10 first answers are right (1 % of 400 seed words that were held out "
            "of training).",
        ),
        (
            (0.6, 20, 0.39, 0.78),
            "Between 4 and 8 in 10 first answers are right (60 % of 20 seed words that were held "
            "out of training; more seeds would give a closer estimate).",
        ),
    ],
)
def test_the_share_of_right_answers_is_a_sentence(
    found: tuple[float, int, float, float], sentence: str
) -> None:
    assert sentences(*found) == [sentence]


def test_the_size_of_the_dictionary_is_two_sentences() -> None:
    size = DictionarySize(words=6_000, translated=4_200, sure_entries=2_345)
    assert list(Verdict(None, size).sentences()) == [
        "About 3 in 10 source words have no answer that is probable enough for the dictionary "
        "(1,800 of 6,000).",
        "2,345 entries are expected to be right 9 times in 10: --min-precision 0.9 writes only "
        "these and the seeds.",
    ]
    assert not list(Verdict(None, DictionarySize(5, 5, 0)).sentences())


def test_a_verdict_is_what_the_model_measured() -> None:
    model = calibrated_model().with_answers()
    models = model.contents.candidate_models
    assert models is not None
    assert models.forward is not None
    verdict = judge(model)
    assert verdict.held_out is not None
    assert verdict.held_out.words == models.forward.report["words"]
    reached = "p_at_1_reordered" if models.forward.reorders else "p_at_1"
    assert verdict.held_out.p_at_1 == models.forward.report[reached]
    low, high = verdict.held_out.interval
    assert 0 <= low <= verdict.held_out.p_at_1 <= high <= 1
    assert verdict.dictionary is not None
    entries = list(model.induce())
    assert verdict.dictionary.words == len(model.source)
    assert verdict.dictionary.translated == len({entry.source for entry in entries})
    (point,) = (p for p in model.induce().curve() if abs(p.precision - 0.9) < 0.02)
    assert verdict.dictionary.sure_entries == point.entries


def test_without_kept_answers_the_size_is_not_known() -> None:
    verdict = judge(calibrated_model())
    assert verdict.held_out is not None
    assert verdict.dictionary is None


@pytest.mark.usefixtures("tiny")
def test_fit_ends_with_a_verdict_and_the_next_two_commands(bilex: Bilex, tiny: Path) -> None:
    fit = ("fit", "s.vec", "t.vec", "test.tsv", "--preset", "procrustes", "-o", "my model")
    done = bilex(*fit, "--calibrate", "--json")
    assert done.code == 0
    assert "first answers are right (" in done.err
    assert "of 20 seed words that were held out of training" in done.err
    *_, title, first, second = done.err.splitlines()
    assert title == "Next:"
    assert first == "  bilex translate 'my model' WORD"
    assert second == "  bilex induce 'my model' -o 'my model.tsv'"
    found = json.loads(done.out)
    assert found["held_out"]["words"] == 20
    assert 0 <= found["held_out"]["p_at_1"] <= 1
    assert found["dictionary"]["words"] == 50
    assert bilex(*shlex.split(second)[1:]).code == 0
    assert (tiny / "my model.tsv").is_file()


@pytest.mark.usefixtures("tiny")
def test_what_was_not_measured_is_not_claimed(bilex: Bilex) -> None:
    done = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "procrustes")
    assert "right (" not in done.err
    assert "How many answers are right was not measured." in done.err
    assert "bilex evaluate m TEST.tsv" in done.err
    few = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--calibrate", "--json")
    assert "How many answers are right was not measured." in few.err
    found = json.loads(few.out)
    assert (found["held_out"], found["dictionary"]) == (None, None)


def test_commands_are_quoted_for_the_shell_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen.command_line("induce", Path("a b"), "-k", 2) == "bilex induce 'a b' -k 2"
    monkeypatch.setattr(screen, "_WINDOWS", True)
    assert screen.command_line("induce", Path("a b"), "-k", 2) == 'bilex induce "a b" -k 2'
