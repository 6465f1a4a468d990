"""The scripts of benchmarks/ that read results: tables of a study, and results that are kept."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import read
from bilex.benchmark import ResultStore, expand, load_suite, run_jobs
from bilex.benchmark.report import write_report
from bilex.jobs import InlineEngine

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="not in a source distribution")

TEXT = (
    SUITE.replace("self-learning", "procrustes")
    .replace('"strategy.rounds=2", "lexicon_update.size=20"', '"calibration.name=held-out-seeds"')
    .replace('test = "test.tsv"', 'test = "held-out"\nwrong = 0.2')
    .replace("[10, 30]", "[12, 20]")
)


def script(path: str) -> ModuleType:
    file = BENCHMARKS / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return a suite with a held-out test set and wrong seeds, and its results."""
    data = write_data(tmp_path_factory.mktemp("data"))
    suite = write_suite(data, TEXT)
    run_jobs(jobs_of(suite), ResultStore(data / "results"), InlineEngine())
    return suite, data / "results"


def test_results_are_shown_as_tables(
    run: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, results = run
    monkeypatch.setattr(sys, "argv", ["show", suite, str(results), "--base", "procrustes"])
    script("studies/show.py").main()
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines[0] == "| 12 seeds | s-t | over procrustes |"
    assert lines[2].startswith("| short |")
    assert " → " in lines[2]
    assert "wrong" in lines[2]
    assert lines[3].startswith("| procrustes |")
    assert lines[3].endswith("| +0.00 ± 0.00 (2) |")
    assert len(lines) == 8


def test_a_report_can_be_made_of_draws_with_different_test_words(
    run: tuple[str, Path], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    write_report(run[1], tmp_path / "report.html")
    assert "procrustes" in (tmp_path / "report.html").read_text()


def test_kept_results_are_restored_with_the_words_of_another_job(
    run: tuple[str, Path], tmp_path: Path
) -> None:
    kept_results = script("results/kept_results.py")
    kept = tmp_path / "kept.jsonl"
    kept_results.keep(run[1], kept)
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len(lines) == 8
    assert not any("words" in line for line in lines)
    kept_results.keep(run[1], kept)
    assert [json.loads(line) for line in kept.read_text().splitlines()] == lines

    before = read(run[1])
    others = tmp_path / "results"
    (others / "jobs").mkdir(parents=True)
    for key, result in before.items():
        if result["job"]["method"] == "short":  # whose words have probabilities
            shutil.copy(run[1] / "jobs" / f"{key}.json", others / "jobs")
    kept_results.restore(others, kept)
    after = read(others)
    assert after.keys() == before.keys()
    for key, result in before.items():
        if result["job"]["method"] == "procrustes":
            words = [word | {"best": None} for word in result["words"]]
            assert after[key] == result | {"words": words}


def test_results_cannot_be_restored_without_their_words(
    run: tuple[str, Path], tmp_path: Path
) -> None:
    kept_results = script("results/kept_results.py")
    kept_results.keep(run[1], tmp_path / "kept.jsonl")
    with pytest.raises(SystemExit, match=r"no finished job in .* has the test words of s-t"):
        kept_results.restore(tmp_path / "none", tmp_path / "kept.jsonl")


@pytest.mark.parametrize("name", sorted(p.stem for p in (BENCHMARKS / "results").glob("*.jsonl")))
def test_kept_results_are_of_jobs_that_their_suite_has(name: str) -> None:
    suite = load_suite(name if name == "core" else str(BENCHMARKS / "studies" / f"{name}.toml"))
    jobs = [job.identity for job in expand(suite, Path("data"))]
    kept = script("results/kept_results.py").read(BENCHMARKS / "results" / f"{name}.jsonl")
    assert kept
    assert all(job["job"] in jobs for job in kept)
    assert {job["suite"] for job in kept} == {name}


def test_methods_are_compared_on_common_draws_and_the_best_other_by_its_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS / "studies")  # scripts import each other
    compare = importlib.import_module("compare")
    scores = {  # by method and language, one for each draw
        ("bilex", "fr"): [0.6, 0.2],
        ("bilex", "ru"): [0.5],
        ("css", "fr"): [0.9],
        ("css", "ru"): [0.1],
        ("procrustes", "fr"): [0.5],
        ("procrustes", "ru"): [0.6],
        ("rcsls", "fr"): [1.0],  # not run on all pairs
    }
    results: list[dict[str, Any]] = [
        {
            "job": {
                "source": "en",
                "target": target,
                "method": method,
                "seeds": 500,
                "draw": draw,
                "lexicon": "xling-frequent",
            },
            "scores": {"csls": {"p_at_1": score}, "calibrated": {"p_at_1": 1 - score}},
            "ranker": "calibrated",
            "calibration_error": 0.04,
        }
        for (method, target), values in scores.items()
        for draw, score in enumerate(values)
    ]
    (setting,) = compare.settings_of(results)
    assert setting.name == "500 frequent"
    assert list(compare.precision_table([setting]))[1:] == [
        "| 500 frequent | CSLS | `procrustes` | 55.0 | 50.0 | 60.0 |",
        "| 500 frequent | CSLS | `bilex` | 55.0 | 60.0 | 50.0 |",
        "| 500 frequent | probability | `css` | 50.0 | 10.0 | 90.0 |",
        "| 500 frequent | probability | `bilex` | 45.0 | 40.0 | 50.0 |",
    ]

    without = next(result for result in results if result["job"]["method"] == "css")
    del without["scores"]["calibrated"], without["calibration_error"]
    without["ranker"] = "csls"
    assert setting.row("css", "calibrated", compare.p_at_1) == pytest.approx([90, 90])
    assert "| 500 frequent | `css` | 0.040 | – | 0.040 |" in compare.calibration_table([setting])


def test_answers_that_other_dictionaries_have_are_right(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS / "studies")  # scripts import each other
    richer = importlib.import_module("richer_gold")
    (tmp_path / "ahead.tsv").write_text("Dog\tchien\ndog\tcabot\n")
    (tmp_path / "back.tsv").write_text("chat\tcat\n")
    gold = richer.collect([tmp_path / "ahead.tsv"], [tmp_path / "back.tsv"])
    assert gold == {"dog": {"chien", "cabot"}, "cat": {"chat"}}
    answers = [
        ("dog", 1, "toutou"),
        ("DOG", None, "Cabot"),
        ("cat", 2, "chien"),
        ("ox", None, None),
    ]
    words = [{"word": word, "rank": rank, "best": best} for word, rank, best in answers]
    assert richer.rescored({"words": words}, gold) == [True, True, False, False]
