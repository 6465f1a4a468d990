"""A job from its inputs to its result."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import read
from bilex.benchmark import BenchmarkWork, Job, JobProgress, ResultStore, run_jobs
from bilex.calibration import calibration_error
from bilex.embeddings import load_embeddings, save_embeddings
from bilex.jobs import InlineEngine
from bilex.lexicons import read_lexicon, write_lexicon
from bilex.values import EmbeddingSpace, Lexicon

CALIBRATED = SUITE.replace("self-learning", "procrustes").replace(
    '"strategy.rounds=2", "lexicon_update.size=20"', '"calibration.name=held-out-seeds"'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def run(jobs: list[Job], folder: Path) -> JobProgress:
    return run_jobs(jobs, ResultStore(folder), InlineEngine())


def test_a_result_says_all_that_a_report_needs(data: Path, tmp_path: Path) -> None:
    jobs = jobs_of(write_suite(data))
    ended = run(jobs, tmp_path / "r")
    assert (ended.total, ended.done, ended.failed, ended.before) == (8, 8, 0, 0)
    found = read(tmp_path / "r")
    assert found.keys() == {job.key for job in jobs}
    result = found[jobs[0].key]
    assert (result["schema"], result["suite"], result["status"]) == (1, "twins", "done")
    assert result["error"] is None
    assert result["job"] == {
        "pair": "s-t",
        "source": "s",
        "target": "t",
        "method": "procrustes",
        "seeds": 10,
        "draw": 0,
        "lexicon": "twins",
    }
    assert set(result["scores"]) == {"csls", "nearest"}
    for scores in result["scores"].values():
        assert {"p_at_1", "p_at_5", "p_at_10", "mrr"} <= set(scores)
        bands = scores["by_spelling"]
        assert list(bands) == ["0.3-0.7"]  # s20 and t20
        assert bands["0.3-0.7"]["n"] == 30
        assert bands["0.3-0.7"]["p_at_1"] == scores["p_at_1"]
        low, high = bands["0.3-0.7"]["p_at_1_interval"]
        assert low <= scores["p_at_1"] <= high
    assert result["coverage"] == {"covered": 30, "total": 30}
    assert (result["copy_baseline"], result["identical_share"]) == (0, 0)
    assert (result["leakage_removed"], result["seed_pairs"]) == (0, 10)
    assert all(isinstance(warning, str) for warning in result["warnings"])
    assert set(result["hubness"]) == {"skewness", "share_unreached"}
    assert set(result["seconds"]) == {"fit", "evaluate", "processor"}
    assert result["peak_memory"] > 2**20
    assert result["settings"]["supervised"] == {"name": "procrustes"}
    assert set(result["manifest"]) == {"versions", "hashes", "sizes", "files"}
    words = result["words"]
    assert len(words) == 30
    of_the_test = {"word", "gold", "identical", "frequency_rank", "similarity"}
    assert set(words[0]) == {*of_the_test, "rank", "best"}
    assert words[0]["similarity"] == 0.6667
    right = sum(word["rank"] == 1 for word in words) / len(words)
    assert right == result["scores"]["csls"]["p_at_1"]
    assert all(word["rank"] is None or word["rank"] <= 20 for word in words)


def test_a_method_that_learns_probabilities_is_judged_by_them(data: Path, tmp_path: Path) -> None:
    jobs = jobs_of(write_suite(data, CALIBRATED))
    run(jobs, tmp_path / "r")
    found = read(tmp_path / "r")
    for job in jobs:
        result = found[job.key]
        learned = job.method.name == "short"
        assert result["ranker"] == ("calibrated" if learned else "csls")
        right = sum(word["rank"] == 1 for word in result["words"]) / len(result["words"])
        assert right == result["scores"][result["ranker"]]["p_at_1"]
        assert learned == ("calibration_error" in result)
        assert learned == all("probability" in word for word in result["words"])
        if learned:
            probabilities = torch.tensor([word["probability"] for word in result["words"]])
            hits = torch.tensor([float(word["rank"] == 1) for word in result["words"]])
            assert 0 <= probabilities.min() <= probabilities.max() <= 1
            error = calibration_error(probabilities, hits)
            assert result["calibration_error"] == pytest.approx(error)
    gains = [
        result["scores"]["calibrated"]["p_at_1"] - result["scores"]["csls"]["p_at_1"]
        for result in found.values()
        if "calibrated" in result["scores"]
    ]
    assert any(gains)  # twins have similar names, so these are not the answers by CSLS


def test_probabilities_are_those_of_the_answers_that_count(data: Path, tmp_path: Path) -> None:
    """Rules that ignore case accept only the most frequent spelling of an answer."""
    space = load_embeddings(data / "t.vec")
    words = tuple(word.upper() if row % 2 else word for row, word in enumerate(space.words))
    save_embeddings(EmbeddingSpace(words, space.vectors), data / "t.vec")
    for name in ("train.10.tsv", "train.30.tsv"):
        cased = [
            (e.source, words[space.index[e.target]]) for e in read_lexicon(data / name).entries
        ]
        write_lexicon(Lexicon.of(cased), data / name)
    text = CALIBRATED.replace('test = "test.tsv"', 'test = "test.tsv"\nrules = "muse"')
    job = next(job for job in jobs_of(write_suite(data, text)) if job.method.name == "short")
    run([job], tmp_path / "r")
    result = read(tmp_path / "r")[job.key]
    assert result["coverage"]["covered"] == 30
    assert all(word["best"] == word["best"].lower() for word in result["words"])
    assert all(word["probability"] is not None for word in result["words"])


def test_wrong_seeds_are_counted_and_compared_with_doubtful_ones(
    data: Path, tmp_path: Path
) -> None:
    text = CALIBRATED.replace("[10, 30]", "[25]")
    text = text.replace('test = "test.tsv"', 'test = "held-out"\nwrong = 0.2')
    jobs = jobs_of(write_suite(data, text))
    run(jobs, tmp_path / "r")
    for job in jobs:
        result = read(tmp_path / "r")[job.key]
        assert result["held_out"] is True
        assert result["coverage"]["total"] == 5
        found = result["wrong_seeds"]
        assert found["wrong"] == 5
        assert found["doubtful_wrong"] <= min(found["wrong"], found["doubtful"])


def test_warnings_of_training_are_in_the_result_and_nowhere_else(
    data: Path, tmp_path: Path
) -> None:
    text = CALIBRATED.replace("first-then-random", "first").replace("[10, 30]", "[4]")
    job = next(job for job in jobs_of(write_suite(data, text)) if job.method.name == "short")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run([job], tmp_path)
    result = read(tmp_path)[job.key]
    assert result["status"] == "done"
    assert any("probabilities" in warning for warning in result["warnings"])


def test_a_study_adds_what_it_measures_with_the_model(data: Path, tmp_path: Path) -> None:
    job = jobs_of(write_suite(data))[0]
    work = BenchmarkWork(measure=lambda model, inputs: {"mine": len(model.seeds)})
    run_jobs([job], ResultStore(tmp_path), InlineEngine(), work=work)
    assert read(tmp_path)[job.key]["mine"] == 10


def test_uncovered_words_are_not_listed_though_they_count(data: Path, tmp_path: Path) -> None:
    with (data / "test.tsv").open("a") as file:
        file.write("unknown\tt1\ns61\tunknown\n")
    strict = SUITE.replace('test = "test.tsv"', 'test = "test.tsv"\nrules = "strict"')
    job = jobs_of(write_suite(data, strict))[0]
    run([job], tmp_path / "r")
    result = read(tmp_path / "r")[job.key]
    assert result["coverage"] == {"covered": 30, "total": 32}
    assert len(result["words"]) == 30


def test_a_job_without_seeds_begins_from_a_start(data: Path, tmp_path: Path) -> None:
    text = SUITE.replace("seeds = [10, 30]", "seeds = [0]").replace(
        '"procrustes", "short"', '"short"'
    )
    jobs = jobs_of(write_suite(data, text))
    assert run(jobs, tmp_path / "r").done == 2
    result = read(tmp_path / "r")[jobs[0].key]
    assert (result["seed_pairs"], result["leakage_removed"]) == (0, 0)
    assert "train" not in result["manifest"]["hashes"]
    other = text.replace("[methods.short]", '[methods.short]\nstart = "convex"')
    assert jobs_of(write_suite(data, other))[0].key != jobs[0].key
    seeded = SUITE.replace("[methods.short]", '[methods.short]\nstart = "convex"')
    keys = [[job.key for job in jobs_of(write_suite(data, text))] for text in (SUITE, seeded)]
    assert keys[0] == keys[1]  # a start that is not used determines nothing


def test_a_ranking_of_its_own_is_scored_beside_the_usual_ones(data: Path, tmp_path: Path) -> None:
    for assignment, expected in (("name=nearest", "nearest"), ("neighborhood=3", "csls")):
        text = SUITE.replace('"strategy.rounds=2"', f'"retrieval.{assignment}"')
        job = next(job for job in jobs_of(write_suite(data, text)) if job.method.name == "short")
        run([job], tmp_path / assignment)
        result = read(tmp_path / assignment)[job.key]
        assert set(result["scores"]) == {"csls", "nearest"}
        assert result["ranker"] == expected  # the method is reported by what it answers with
        right = sum(word["rank"] == 1 for word in result["words"]) / len(result["words"])
        assert right == result["scores"][expected]["p_at_1"]
        if expected == "csls":
            assert result["settings"]["retrieval"]["neighborhood"] == 3


def test_scores_are_by_lemma_where_the_suite_has_lemmas(data: Path, tmp_path: Path) -> None:
    # All words have one lemma, so every answer is right by lemma.
    lemmas = "".join(f"t{number}\tt0\n" for number in range(80))
    (data / "lemmas.t.tsv").write_text(lemmas)
    lines = '[lemmas]\nt = "lemmas.{language}.tsv"\n\n[lexicons.twins]'
    plain, with_lemmas = (
        jobs_of(write_suite(data, text))
        for text in (SUITE, SUITE.replace("[lexicons.twins]", lines))
    )
    assert plain[0].key != with_lemmas[0].key
    assert plain[0].lemmas is None
    assert "lemmas" in with_lemmas[0].hashes
    ended = run([plain[0], with_lemmas[0]], tmp_path / "r")
    assert ended.failed == 0
    found = read(tmp_path / "r")
    for ranker in ("csls", "nearest"):
        assert "p_at_1_lemma" not in found[plain[0].key]["scores"][ranker]
        scores = found[with_lemmas[0].key]["scores"][ranker]
        assert scores["p_at_1_lemma"] == 1
        assert scores["p_at_1"] == found[plain[0].key]["scores"][ranker]["p_at_1"]


def test_lemmas_of_a_package_are_named_by_language(data: Path) -> None:
    lines = '[lemmas]\nt = "simplemma:fi"\n\n[lexicons.twins]'
    (job, *_) = jobs_of(write_suite(data, SUITE.replace("[lexicons.twins]", lines)))
    assert job.lemmas == "simplemma:fi"
    assert "lemmas" not in job.hashes
    (plain, *_) = jobs_of(write_suite(data))
    assert job.key != plain.key
