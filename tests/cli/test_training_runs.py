"""The life of a training run on the command line: rounds, warnings, interrupt and resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bilex as library
from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.model.checkpoint import Checkpoint
from bilex.values import Lexicon, Round
from conftest_types import Bilex
from twins import make_twins

SHORT = (
    "--set",
    "strategy.rounds=3",
    "--set",
    "supervised.steps=3",
    "--set",
    "unsupervised.steps=2",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    twins = make_twins(80, noise=0.05)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(Lexicon(twins.lexicon.entries[:60]), tmp_path / "seeds.tsv")
    return tmp_path


def fit(bilex: Bilex, *more: str, seeds: str = "seeds.tsv", preset: str = "css-paper"):  # type: ignore[no-untyped-def]  # noqa: ANN201
    return bilex("fit", "s.vec", "t.vec", seeds, "-o", "m", "--preset", preset, *SHORT, *more)


@pytest.mark.parametrize("preset", ["css-paper", "css-code", "pss-paper", "pss-code"])
def test_every_round_is_reported(bilex: Bilex, data: Path, preset: str) -> None:
    done = fit(bilex, preset=preset)
    assert done.code == 0
    for number in (1, 2):
        assert f"round {number} of at most 3: " in done.err
    assert "transport cost" in done.err
    assert "loss" in done.err
    report = json.loads((data / "m" / "report.json").read_text())
    assert [found["number"] for found in report["rounds"]] == [1, 2]
    assert not (data / "m.checkpoint").exists()


@pytest.mark.parametrize("preset", ["css-paper", "pss-paper"])
def test_an_interrupted_run_resumes_to_the_same_model(
    bilex: Bilex, data: Path, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fit(bilex, preset=preset).code == 0
    expected = (data / "m" / "tensors.safetensors").read_bytes()
    write = Checkpoint.write

    def write_then_stop(self: Checkpoint, done: Round) -> None:
        write(self, done)
        if done.number == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "write", write_then_stop)
    stopped = fit(bilex, preset=preset)
    assert stopped.code == 130
    assert (
        "interrupted: m is the model after round 2; run the same command with --resume"
        in stopped.err
    )
    assert library.load(data / "m").translate(["s70"], k=1)[0].candidates
    assert json.loads((data / "m" / "report.json").read_text())["finished"] is False

    monkeypatch.setattr(Checkpoint, "write", write)
    resumed = fit(bilex, "--resume", preset=preset)
    assert resumed.code == 0
    assert "continuing after round 2 of at most 3" in resumed.err
    assert (data / "m" / "tensors.safetensors").read_bytes() == expected


def test_resuming_nothing_says_so(bilex: Bilex, data: Path) -> None:
    done = fit(bilex, "--resume")
    assert done.code == 2
    assert "no such checkpoint: run without --resume" in done.err


def test_seeds_that_do_not_fit_the_vectors_give_a_warning(bilex: Bilex, tmp_path: Path) -> None:
    twins = make_twins(2_000, dim=10)  # so many words that chance finds next to none
    save_embeddings(twins.source, tmp_path / "s.bin")
    save_embeddings(twins.target, tmp_path / "t.bin")
    wrong = [(f"s{i}", f"t{(i + 1) % 2_000}") for i in range(1_000)]
    write_lexicon(Lexicon.of(wrong), tmp_path / "wrong.tsv")
    fit = ("fit", "s.bin", "t.bin", "wrong.tsv", "-o", "m", "--preset", "procrustes", "--json")
    done = bilex(*fit)
    assert "warning: of 200 seed pairs held out, only" in done.err
    assert "the pairs do not fit the vectors" in json.loads(done.out)["warnings"][0]


def test_ablations_are_settings(bilex: Bilex, data: Path) -> None:
    done = fit(bilex, "--set", "prior.name=none", "--set", "lexicon_update.name=none")
    assert done.code == 0
    config = (data / "m" / "config.toml").read_text()
    assert "[prior]" not in config
    assert "[lexicon_update]" not in config


@pytest.mark.parametrize("start", ["identical", "auto"])
def test_training_without_seeds_says_how_far_to_trust_it(
    bilex: Bilex, tmp_path: Path, start: str
) -> None:
    twins = make_twins(150)
    same = twins.target.words
    target = type(twins.target)(tuple(f"s{word[1:]}" for word in same), twins.target.vectors)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(target, tmp_path / "t.vec")
    done = bilex("fit", "s.vec", "t.vec", "-o", "m", "--start", start, "--json")
    assert done.code == 0
    assert "warning: trained without any seed pair" in done.err
    assert json.loads(done.out)["pairs"] == 0
    assert bilex("translate", "m", "s5", "-k", "1").out == "s5\ts5\n"


def test_seeds_and_a_start_exclude_each_other(bilex: Bilex, data: Path) -> None:
    done = fit(bilex, "--start", "auto")
    assert done.code == 2
    assert "--start is for training without seeds: leave out one of the two" in done.err
