"""Probabilities on the command line: learned, shown, and used to cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilex import load
from bilex.calibration import HeldOutSeeds
from bilex.embeddings import save_embeddings
from bilex.inducer import Parts
from bilex.lexicons import DictionaryEntry, read_dictionary, write_lexicon
from bilex.values import Lexicon
from candidates import calibrated_model, noisy_twins
from conftest_types import Bilex, Finished
from twins import make_twins

FILES = ("fit", "s.vec", "t.vec", "seeds.tsv")
FIT = (*FILES, "-o", "m", "--preset", "procrustes")
CSS = (*FILES, "-o", "m", "--preset", "css")
SCHEDULE = ("strategy.rounds=2", "supervised.steps=3", "unsupervised.steps=2")
SHORT = [text for setting in SCHEDULE for text in ("--set", setting)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write fifty words on each side, a dozen seed pairs and a test set."""
    twins = make_twins(50, dim=3)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(Lexicon(twins.lexicon.entries[:12]), tmp_path / "seeds.tsv")
    write_lexicon(Lexicon(twins.lexicon.entries[:3]), tmp_path / "three.tsv")
    return tmp_path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Save a calibrated model, and pairs that it has not seen."""
    calibrated_model().save(tmp_path / "m")
    write_lexicon(Lexicon(noisy_twins().lexicon.entries[90:]), tmp_path / "test.tsv")
    return tmp_path


@pytest.fixture
def plain(bilex: Bilex, data: Path) -> Path:
    assert bilex(*FIT).code == 0
    return data


def test_fit_learns_probabilities_when_asked(bilex: Bilex, data: Path) -> None:
    done = bilex(*FIT, "--calibrate")
    assert done.code == 0
    assert "first answers are right (" in done.err
    assert "of 12 seed words that were held out of training" in done.err
    assert "[calibration]" in (data / "m" / "config.toml").read_text()
    assert (data / "m" / "candidates.json").is_file()


def test_fit_leaves_probabilities_out_unless_asked(bilex: Bilex, plain: Path) -> None:
    assert not (plain / "m" / "candidates.json").exists()
    with_css = bilex(*CSS, *SHORT)
    assert "held out of training" in with_css.err
    assert (plain / "m" / "candidates.json").is_file()
    without = bilex(*CSS, "--no-calibrate", *SHORT)
    assert without.code == 0
    assert "held out of training" not in without.err
    assert not (plain / "m" / "candidates.json").exists()


def test_three_seeds_warn_and_still_give_a_model(bilex: Bilex, data: Path) -> None:
    done = bilex("fit", "s.vec", "t.vec", "three.tsv", "-o", "m", "--calibrate", "--json")
    assert done.code == 0
    assert "warning: the seeds have 3 source words, too few to learn prob" in done.err
    assert "too few to learn" in json.loads(done.out)["warnings"][-1]
    assert bilex("translate", "m", "s1", "-k", "1").out.startswith("s1\t")


def test_settings_of_calibration_are_settings(bilex: Bilex, data: Path) -> None:
    without = '--set=calibration.without=["strings", "frequency"]'
    assert bilex(*FIT, "--calibrate", without, "--set", "calibration.parts=3").code == 0
    features = json.loads((data / "m" / "candidates.json").read_text())["forward"]["features"]
    assert "similarity" not in features
    assert "frequency_distance" not in features
    made = Parts.build(load(data / "m").contents.config).calibration
    assert made == HeldOutSeeds(parts=3, without=("strings", "frequency"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--set", "calibration.parts=1"), "calibration.parts is 1, expected 2 or more"),
        (("--set", 'calibration.without=["string"]'), "did you mean 'strings'?"),
        (("--no-calibrate", "--set", "calibration.parts=3"), "there is no part 'calibration'"),
    ],
)
def test_wrong_settings_are_reported_before_anything_is_read(
    bilex: Bilex, data: Path, more: tuple[str, ...], message: str
) -> None:
    (data / "s.vec").write_text("not read")
    done = bilex(*CSS, *more)
    assert done.code == 2
    assert message in done.err


def test_an_interrupt_while_probabilities_are_learned_says_what_is_there(
    bilex: Bilex, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    css = (*CSS, *SHORT)
    assert bilex(*css).code == 0
    expected = (data / "m" / "candidates.safetensors").read_bytes()

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(HeldOutSeeds, "cross_fit", stop)
        stopped = bilex(*css)
        once = bilex(*FILES, "-o", "n", "--preset", "procrustes", "--calibrate")
    assert stopped.code == once.code == 130
    assert "m is a model without probabilities; run the same command with --resume" in stopped.err
    assert "n is a model without probabilities; run the same command again" in once.err
    assert bilex("translate", "m", "s1", "-k", "1").out.startswith("s1\t")
    resumed = bilex(*css, "--resume")
    assert resumed.code == 0
    assert (data / "m" / "candidates.safetensors").read_bytes() == expected
    # What is learned after training does not make it another run.
    with monkeypatch.context() as patched:
        patched.setattr(HeldOutSeeds, "cross_fit", stop)
        assert bilex(*css).code == 130
    assert bilex(*css, "--resume", "--no-calibrate").code == 0


def test_translate_shows_probabilities_on_request(bilex: Bilex, model: Path) -> None:
    plain = bilex("translate", "m", "s100", "s7", "-k", "2")
    told = bilex("translate", "m", "s100", "s7", "-k", "2", "--probabilities")
    as_json = bilex("translate", "m", "s100", "s7", "-k", "2", "--json").out.splitlines()
    result = [json.loads(line) for line in as_json]
    rows = [line.split("\t") for line in plain.out.splitlines()]
    shown = [line.split("\t") for line in told.out.splitlines()]
    for row, pairs, one in zip(rows, shown, result, strict=True):
        candidates = one["candidates"]
        assert row == [one["word"], *(candidate["word"] for candidate in candidates)]
        expected = [f"{each['word']}:{each['probability']:.2f}" for each in candidates]
        assert pairs == [one["word"], *expected]
        assert candidates[0]["probability"] >= candidates[1]["probability"]


def test_translate_without_probabilities(bilex: Bilex, plain: Path) -> None:
    result = json.loads(bilex("translate", "m", "s7", "--json").out)
    assert [candidate["probability"] for candidate in result["candidates"]] == [None] * 5
    done = bilex("translate", "m", "s7", "--probabilities")
    assert done.code == 2
    assert "train it again with `bilex fit … --calibrate`" in done.err


def test_candidates_beyond_those_that_were_judged_have_no_probability(
    bilex: Bilex, model: Path
) -> None:
    row = bilex("translate", "m", "s7", "-k", "22", "--probabilities").out.split()
    assert [":" in word for word in row[1:]] == [True] * 20 + [False] * 2
    candidates = json.loads(bilex("translate", "m", "s7", "-k", "22", "--json").out)["candidates"]
    assert [one["probability"] is None for one in candidates] == [False] * 20 + [True] * 2


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail as soon as a dictionary is being made."""

    def never(*_: object, **__: object) -> None:
        pytest.fail("work had begun")

    monkeypatch.setattr("bilex.candidates.ranking.Ranking.rank", never)


def induce(bilex: Bilex, *more: str) -> Finished:
    return bilex("induce", "m", *more)


def test_induce_cuts_at_a_precision_prints_the_curve_and_draws_it(
    bilex: Bilex, model: Path
) -> None:
    pytest.importorskip("matplotlib")
    done = induce(
        bilex, "--min-precision", "0.9", "--coverage", "--coverage-plot", "c.svg", "-o", "d.tbx",
        "--source-language", "en", "--target-language", "fr",
    )  # fmt: skip
    assert done.code == 0
    assert done.out == ""
    header, *curve = done.err.splitlines()[:8]
    assert header.split() == [
        "precision",
        "entries",
        "words",
        "of",
        "words",
        "smallest",
        "probability",
    ]
    precisions = [float(line.split()[0]) for line in curve]
    for wanted, reached in zip((0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5), precisions, strict=True):
        assert reached >= wanted
    assert (model / "c.svg").read_bytes().startswith(b"<?xml")
    found = read_dictionary(model / "d.tbx")
    assert (found.metadata.source_language, found.metadata.target_language) == ("en", "fr")
    made = list(load(model / "m").induce(min_precision=0.9))
    assert f"d.tbx: {len(made)} entries" in done.err
    assert {(e.source, e.target, e.origin) for e in found.entries} == {
        (e.source, e.target, e.origin) for e in made
    }
    kept = {(e.source, e.target): e.probability for e in found.entries}
    for entry in made:
        assert kept[entry.source, entry.target] == pytest.approx(entry.probability, abs=1e-4)


def test_induce_speaks_json_and_tsv_to_stdout(bilex: Bilex, model: Path) -> None:
    rows = [json.loads(line) for line in induce(bilex, "--json", "-k", "2").out.splitlines()]
    assert rows[0].keys() == set(DictionaryEntry._fields)
    assert len(rows) == 300
    assert all(0 <= row["probability"] <= 1 for row in rows)
    header, *lines = induce(bilex, "-k", "2").out.splitlines()
    assert header.split("\t") == list(DictionaryEntry._fields)
    for line, row in zip(lines, rows, strict=True):
        cells = line.split("\t")
        assert (cells[0], cells[1]) == (row["source"], row["target"])
        assert float(cells[2]) == pytest.approx(row["probability"])


def test_the_manifest_of_a_dictionary_says_where_it_was_cut(bilex: Bilex, model: Path) -> None:
    assert induce(bilex, "-o", "d.jsonl", "--min-precision", "0.9", "--reverse").code == 0
    manifest = json.loads((model / "d.jsonl.manifest.json").read_text(encoding="utf-8"))["manifest"]
    assert 0 < manifest["threshold"] < 1
    assert manifest["limit"] is None
    assert manifest["model"] == calibrated_model().identity
    assert induce(bilex, "-o", "d.jsonl", "--min-precision", "1").code == 0
    text = (model / "d.jsonl.manifest.json").read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=pytest.fail)["manifest"]["threshold"] is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--min-precision", "1.5"), "min_precision is 1.5, expected above 0 and at most 1"),
        (("--coverage-plot", "c.jpeg"), "expected a name ending in .svg, .png, .pdf"),
        (("-o", "d.docx"), "d.docx"),
        (("-o", "d.tsv", "--json"), "--json prints: leave out -o"),
        (("--format", "tbx"), "are for a file: add -o FILE"),
        (("--license", "CC0-1.0"), "are for a file: add -o FILE"),
    ],
)
@pytest.mark.usefixtures("model", "idle")
def test_induce_refuses_before_it_works(bilex: Bilex, more: tuple[str, ...], message: str) -> None:
    done = induce(bilex, *more)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    "more", [("--min-precision", "0.9"), ("--coverage",), ("--coverage-plot", "c.svg")]
)
@pytest.mark.usefixtures("plain", "idle")
def test_induce_says_how_to_get_probabilities(bilex: Bilex, more: tuple[str, ...]) -> None:
    pytest.importorskip("matplotlib")
    done = induce(bilex, *more)
    assert done.code == 2
    assert "train it again with `bilex fit … --calibrate`" in done.err


def test_evaluate_compares_the_order_by_probability(bilex: Bilex, model: Path) -> None:
    result = json.loads(bilex("evaluate", "m", "test.tsv", "--json").out)
    assert result["calibrated"]["p_at_1"] > result["csls"]["p_at_1"]
    rows = [line.split()[0] for line in bilex("evaluate", "m", "test.tsv").out.splitlines() if line]
    assert {"csls", "nearest", "calibrated"} <= set(rows)
