"""Runs: only what is missing, whatever fails, whoever else is at work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import comparable, read
from bilex.benchmark import (
    Finished,
    Job,
    JobEvent,
    JobProgress,
    ResultStore,
    run_jobs,
    standing,
)
from bilex.inducer import LexiconInducer
from bilex.jobs import InlineEngine


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


def run(jobs: list[Job], folder: Path, **options: Any) -> JobProgress:  # noqa: ANN401
    return run_jobs(jobs, ResultStore(folder), InlineEngine(), **options)


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
    assert "99 source words requested, but only 30" in result["error"]["message"]
    assert "Traceback (most recent call last)" in result["error"]["traceback"]
    assert (result["scores"], result["words"]) == ({}, [])

    assert run(jobs, tmp_path / "r").total == 0  # failures are not run again by themselves
    again = run(jobs, tmp_path / "r", retry_failed=True)
    assert (again.total, again.failed) == (4, 4)
    assert len(fits) == 4


def test_a_failure_can_be_fixed(
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

    def stop(progress: JobProgress, event: JobEvent) -> None:
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

    def interfere(progress: JobProgress, event: JobEvent) -> None:
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
        _, message = process.communicate(timeout=60)
        assert process.returncode == 0, message
    jobs = jobs_of(suite)
    found = read(tmp_path / "r")
    assert found.keys() == {job.key for job in jobs}
    assert all(result["status"] == "done" for result in found.values())
    assert len(list((tmp_path / "r" / "jobs").iterdir())) == len(jobs)  # no half-written file
    run(jobs, tmp_path / "alone")
    assert comparable(tmp_path / "r") == comparable(tmp_path / "alone")


def test_the_time_left_weighs_methods_by_their_times(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    jobs = jobs_of(write_suite(data))
    quick = [job for job in jobs if job.method.name == "procrustes"]
    slow = [job for job in jobs if job.method.name == "short"]
    progress = JobProgress(total=8, before=0, begin=0.0)
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
