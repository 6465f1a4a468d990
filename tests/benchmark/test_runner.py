"""Runs: only what is missing, whatever fails, whoever else is at work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import comparable, read
from bilex.benchmark import Finished, Job, ResultStore, Started, run_jobs, standing
from bilex.benchmark.engines.inline import InlineEngine
from bilex.benchmark.job_queue import JobQueue
from bilex.benchmark.progress import RunProgress
from bilex.inducer import LexiconInducer


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Count how often a model is trained."""
    found: list[object] = []
    fit = LexiconInducer.fit

    def counted(self: LexiconInducer, *arguments: Any, **more: Any) -> LexiconInducer:  # noqa: ANN401
        found.append(self.method)
        return fit(self, *arguments, **more)

    monkeypatch.setattr(LexiconInducer, "fit", counted)
    return found


def run(jobs: list[Job], folder: Path, **options: Any) -> RunProgress:  # noqa: ANN401
    return run_jobs(jobs, ResultStore(folder), InlineEngine(), **options)


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
    assert result["coverage"] == {"covered": 30, "total": 30}
    assert (result["copy_baseline"], result["identical_share"]) == (0, 0)
    assert (result["leakage_removed"], result["seed_pairs"]) == (0, 10)
    assert set(result["hubness"]) == {"skewness", "share_unreached"}
    assert set(result["seconds"]) == {"fit", "evaluate", "processor"}
    assert result["peak_memory"] > 2**20
    assert result["settings"]["supervised"] == {"name": "procrustes"}
    assert set(result["manifest"]) == {"versions", "hashes", "sizes", "files"}
    words = result["words"]
    assert len(words) == 30
    assert set(words[0]) == {"word", "gold", "rank", "best", "identical", "frequency_rank"}
    right = sum(word["rank"] == 1 for word in words) / len(words)
    assert right == result["scores"]["csls"]["p_at_1"]
    assert all(word["rank"] is None or word["rank"] <= 20 for word in words)


def test_a_method_that_learns_probabilities_is_judged_by_them(data: Path, tmp_path: Path) -> None:
    calibrated = SUITE.replace("self-learning", "procrustes").replace(
        '"strategy.rounds=2", "lexicon_update.size=20"', '"calibration.name=held-out-seeds"'
    )
    jobs = jobs_of(write_suite(data, calibrated))
    run(jobs, tmp_path / "r")
    found = read(tmp_path / "r")
    for job in jobs:
        result = found[job.key]
        learned = job.method.name == "short"
        assert result["ranker"] == ("calibrated" if learned else "csls")
        right = sum(word["rank"] == 1 for word in result["words"]) / len(result["words"])
        assert right == result["scores"][result["ranker"]]["p_at_1"]
    gains = [
        result["scores"]["calibrated"]["p_at_1"] - result["scores"]["csls"]["p_at_1"]
        for result in found.values()
        if "calibrated" in result["scores"]
    ]
    assert any(gains)  # the names of twins tell: these are not the answers by CSLS


def test_uncovered_words_are_not_listed_though_they_count(data: Path, tmp_path: Path) -> None:
    with (data / "test.tsv").open("a") as file:
        file.write("unknown\tt1\ns61\tunknown\n")
    strict = SUITE.replace('test = "test.tsv"', 'test = "test.tsv"\nprotocol = "strict"')
    job = jobs_of(write_suite(data, strict))[0]
    run([job], tmp_path / "r")
    result = read(tmp_path / "r")[job.key]
    assert result["coverage"] == {"covered": 30, "total": 32}
    assert len(result["words"]) == 30


def test_a_second_run_does_only_what_is_missing(
    data: Path, tmp_path: Path, fits: list[object]
) -> None:
    jobs = jobs_of(write_suite(data))
    run(jobs[:3], tmp_path / "r")
    assert len(fits) == 3
    ended = run(jobs, tmp_path / "r")
    assert (ended.total, ended.before, len(fits)) == (5, 3, 8)
    assert run(jobs, tmp_path / "r").total == 0
    assert len(fits) == 8


def test_an_edit_runs_again_only_what_it_touches(
    data: Path, tmp_path: Path, fits: list[object]
) -> None:
    run(jobs_of(write_suite(data)), tmp_path / "r")
    fits.clear()
    edited = jobs_of(write_suite(data, SUITE.replace("rounds=2", "rounds=3")))
    run(edited, tmp_path / "r")
    assert len(fits) == 4
    assert read(tmp_path / "r").keys() == {job.key for job in edited}
    run(jobs_of(write_suite(data)), tmp_path / "r")  # undone: nothing to do
    assert len(fits) == 4


def test_a_failure_is_kept_and_does_not_stop_the_rest(
    data: Path, tmp_path: Path, fits: list[object]
) -> None:
    greedy = SUITE.replace('{ 10 = "train.10.tsv", 30 = "train.30.tsv" }', '"train.30.tsv"')
    jobs = jobs_of(write_suite(data, greedy.replace("[10, 30]", "[10, 99]")))
    ended = run(jobs, tmp_path / "r")
    assert (ended.done, ended.failed) == (4, 4)
    failed = [job for job in jobs if job.seeds == 99]
    assert standing(jobs, ResultStore(tmp_path / "r")).failed == failed
    result = read(tmp_path / "r")[failed[0].key]
    assert result["status"] == "failed"
    assert result["error"]["type"] == "EmptyLexiconError"
    assert "99 source words asked for, but only 30" in result["error"]["message"]
    assert "Traceback (most recent call last)" in result["error"]["traceback"]
    assert (result["scores"], result["words"]) == ({}, [])

    assert run(jobs, tmp_path / "r").total == 0  # failures are not run again by themselves
    again = run(jobs, tmp_path / "r", retry_failed=True)
    assert (again.total, again.failed) == (4, 4)
    assert len(fits) == 4


def test_a_failure_can_be_mended(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = jobs_of(write_suite(data))[:2]

    def fail(*_: object) -> None:
        raise MemoryError("too much")

    with monkeypatch.context() as patch:
        patch.setattr(LexiconInducer, "fit", fail)
        assert run(jobs, tmp_path / "r").failed == 2
    assert run(jobs, tmp_path / "r", retry_failed=True).done == 2
    assert not standing(jobs, ResultStore(tmp_path / "r")).failed


def test_an_interrupt_keeps_what_has_ended(data: Path, tmp_path: Path) -> None:
    jobs = jobs_of(write_suite(data))

    def stop(progress: RunProgress, event: Started | Finished) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(jobs, tmp_path / "r", on_event=stop)
    assert len(read(tmp_path / "r")) == 3
    assert run(jobs, tmp_path / "r").done == 5


def test_what_another_run_does_meanwhile_is_not_done_again(
    data: Path, tmp_path: Path, fits: list[object]
) -> None:
    jobs = jobs_of(write_suite(data))

    def interfere(progress: RunProgress, event: Started | Finished) -> None:
        if isinstance(event, Finished) and progress.done == 2:
            run(jobs[2:6], tmp_path / "r")

    ended = run(jobs, tmp_path / "r", on_event=interfere)
    assert (ended.done, ended.elsewhere, ended.ended, len(fits)) == (4, 4, 8, 8)


def test_two_runs_at_once_lose_nothing(data: Path, tmp_path: Path) -> None:
    suite = write_suite(data)
    command = [sys.executable, "-m", "bilex", "bench", "run", suite, "--engine", "inline"]
    command += ["--no-cache", "-o", str(tmp_path / "r")]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]  # noqa: S603
    for process in both:
        _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told
    jobs = jobs_of(suite)
    found = read(tmp_path / "r")
    assert found.keys() == {job.key for job in jobs}
    assert all(result["status"] == "done" for result in found.values())
    assert len(list((tmp_path / "r" / "jobs").iterdir())) == len(jobs)  # no half-written file
    run(jobs, tmp_path / "alone")
    assert comparable(tmp_path / "r") == comparable(tmp_path / "alone")


def test_a_worker_keeps_its_vectors_while_there_are_jobs_for_them(data: Path) -> None:
    both = SUITE.replace("draws = 2", 'draws = 2\ndirections = "both"')
    jobs = jobs_of(write_suite(data, both))
    queue = JobQueue(jobs, lambda job: True)
    first, second = queue.take(), queue.take()
    assert first is not None
    assert second is not None
    assert (first.source, second.source) == ("s", "t")
    for _ in range(7):
        first, second = queue.take(first), queue.take(second)
        assert first is not None
        assert second is not None
        assert (first.source, second.source) == ("s", "t")
    assert queue.take(first) is None


def test_the_time_left_weighs_methods_by_their_times(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    jobs = jobs_of(write_suite(data))
    quick = [job for job in jobs if job.method.name == "procrustes"]
    slow = [job for job in jobs if job.method.name == "short"]
    progress = RunProgress(total=8, before=0, begin=0.0)
    for job in jobs:
        progress.expect(job)
    assert progress.seconds_left() is None
    for job, seconds in ((quick[0], 1.0), (slow[0], 9.0)):
        progress.start(job)
        clock[0] += seconds
        progress.end(job, {"status": "done"})
    assert progress.seconds_left() == pytest.approx(3 * 1 + 3 * 9)
    progress.start(slow[1])
    progress.start(slow[2])
    clock[0] += 5
    assert progress.seconds_left() == pytest.approx((30 - 10) / (20 / 15))
    progress.skip(slow[3])
    assert progress.elsewhere == 1


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
    for assignment, expected in (("name=nearest", None), ("neighborhood=3", "csls")):
        text = SUITE.replace('"strategy.rounds=2"', f'"retrieval.{assignment}"')
        job = next(job for job in jobs_of(write_suite(data, text)) if job.method.name == "short")
        run([job], tmp_path / assignment)
        result = read(tmp_path / assignment)[job.key]
        assert set(result["scores"]) == {"csls", "nearest"}
        if expected is not None:
            assert result["settings"]["retrieval"]["neighborhood"] == 3
