"""The pool of processes: same results, nothing lost when something is killed, nothing left over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import comparable, read
from bilex.benchmark import (
    BenchmarkWork,
    JobEvent,
    JobProgress,
    ResultStore,
    Started,
    run_jobs,
    standing,
)
from bilex.errors import SettingError
from bilex.jobs import InlineEngine, LocalEngine
from bilex.jobs.local import available_cores

LENGTHY = (
    SUITE.replace("seeds = [10, 30]", "seeds = [10]").replace('"procrustes", "short"', '"lengthy"')
    + '[methods.lengthy]\npreset = "rcsls"\nset = ["supervised.steps=400"]\n'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def test_processes_give_the_results_of_one_and_one_that_is_killed_fails_its_job_alone(
    data: Path, tmp_path: Path
) -> None:
    jobs = jobs_of(write_suite(data, LENGTHY.replace('"lengthy"]', '"lengthy", "short"]')))
    killed: list[int] = []

    def kill_one(progress: JobProgress, event: JobEvent) -> None:
        if isinstance(event, Started) and progress.done and not killed:
            for child in multiprocessing.active_children():
                assert child.pid is not None
                killed.append(child.pid)
                os.kill(child.pid, signal.SIGKILL)

    store = ResultStore(tmp_path / "local")
    engine = LocalEngine(workers=2, threads=1)
    work = BenchmarkWork(cache=tmp_path / "cache")
    ended = run_jobs(jobs, store, engine, work=work, on_event=kill_one)
    failed = standing(jobs, store).failed
    assert 1 <= len(failed) == ended.failed <= len(killed) == 2
    assert ended.done == len(jobs) - len(failed)
    assert not multiprocessing.active_children()
    error = read(tmp_path / "local")[failed[0].key]["error"]
    assert error["type"] == "WorkerDied"
    assert "was ended by SIGKILL, perhaps because the memory was full" in error["message"]

    assert run_jobs(jobs, store, InlineEngine(), retry_failed=True).done == len(failed)
    run_jobs(jobs, ResultStore(tmp_path / "inline"), InlineEngine())
    assert comparable(tmp_path / "local") == comparable(tmp_path / "inline")


def test_stopping_ends_all_processes(data: Path, tmp_path: Path) -> None:
    jobs = jobs_of(write_suite(data, LENGTHY.replace("steps=400", "steps=100000")))

    def stop(progress: JobProgress, event: JobEvent) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, ResultStore(tmp_path), LocalEngine(workers=1), on_event=stop)
    assert not multiprocessing.active_children()
    assert not read(tmp_path)


def test_a_killed_driver_leaves_no_process_and_is_resumed(data: Path, tmp_path: Path) -> None:
    suite = write_suite(data, LENGTHY.replace("draws = 2", "draws = 12"))
    command = [sys.executable, "-m", "bilex", "bench", "run", suite, "--workers", "1"]
    command += ["--no-cache", "-o", str(tmp_path / "r")]
    driver = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603
    wait_until(lambda: len(list((tmp_path / "r" / "jobs").glob("*.json"))) >= 2)
    (worker,) = [pid for pid in children(driver.pid) if "spawn_main" in command_of(pid)]
    driver.kill()
    driver.wait()
    wait_until(lambda: not command_of(worker))

    jobs, store = jobs_of(suite), ResultStore(tmp_path / "r")
    found = standing(jobs, store)
    assert 2 <= len(found.done) < 12
    before = {job.key: store.path(job.key).stat().st_mtime_ns for job in found.done}
    ended = run_jobs(jobs, store, InlineEngine())
    assert ended.done == len(found.missing) == 12 - len(found.done)
    assert len(read(tmp_path / "r")) == 12
    assert before == {key: store.path(key).stat().st_mtime_ns for key in before}


def test_settings_out_of_bounds_are_reported() -> None:
    assert available_cores() >= 1
    with pytest.raises(SettingError, match=r"local\.workers is 0: give 1 or more"):
        LocalEngine(workers=0)
    with pytest.raises(SettingError, match=r"local\.threads is 0: give 1 or more"):
        LocalEngine(workers=1, threads=0)


def wait_until(happened: object, seconds: float = 60) -> None:
    assert callable(happened)
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def children(parent: int) -> list[int]:
    path = Path(f"/proc/{parent}/task/{parent}/children")
    if not path.exists():
        pytest.skip("needs /proc")
    return [int(word) for word in path.read_text().split()]


def command_of(process: int) -> str:
    """Return the command line of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
