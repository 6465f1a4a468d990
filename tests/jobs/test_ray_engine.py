"""The Ray engine: the results of the local one, whatever dies on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import comparable, read
from bilex.benchmark import Job, JobEvent, JobProgress, ResultStore, run_jobs
from bilex.errors import SettingError
from bilex.jobs import InlineEngine, RayEngine
from bilex.jobs.ray import _StoredInputs
from squares import Table, loaded

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray, about itself

LENGTHY = (
    SUITE.replace("seeds = [10, 30]", "seeds = [10]").replace('"procrustes", "short"', '"lengthy"')
    + '[methods.lengthy]\npreset = "rcsls"\nset = ["supervised.steps=1500"]\n'
)
SMALL = 128 * 2**20  # the least object store that Ray makes


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make a cluster of three nodes, each with one CPU, all on this machine."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    node = {"num_cpus": 1, "object_store_memory": SMALL, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(2):
            made.add_node(num_cpus=1, object_store_memory=SMALL)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def workers(cluster: Any) -> list[int]:  # noqa: ANN401
    """Return the processes of this cluster, and of no other, that are at work on a job."""
    parents = [
        started.process.pid
        for node in cluster.list_all_nodes()
        for started in node.all_processes.get("raylet", [])
    ]
    found = []
    for parent in parents:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            for child in children.read_text().split():
                command = Path(f"/proc/{child}/cmdline")
                if command.exists() and command.read_bytes().startswith(b"ray::_work"):
                    found.append(int(child))
    return found


def run_while(
    jobs: list[Job], folder: Path, engine: RayEngine, disturb: Callable[[JobProgress], None]
) -> JobProgress:
    """Run, and call `disturb` in a thread of its own as soon as the first job has ended."""
    threads: list[threading.Thread] = []

    def watch(progress: JobProgress, event: JobEvent) -> None:
        if progress.done == 1 and not threads:
            threads.append(threading.Thread(target=disturb, args=(progress,)))
            threads[0].start()

    ended = run_jobs(jobs, ResultStore(folder), engine, on_event=watch)
    for thread in threads:
        thread.join()
    assert threads
    return ended


def test_a_cluster_made_here_gives_the_results_of_one_process(data: Path, tmp_path: Path) -> None:
    jobs = jobs_of(write_suite(data))[:3]
    (data / "broken.vec").write_text("2 2\na 1 2\nb 1\n")
    broken = jobs_of(
        write_suite(data, SUITE.replace("default =", 't = "broken.vec"\ndefault ='), "b")
    )
    ended = run_jobs(
        [*jobs, *broken[:1]], ResultStore(tmp_path / "ray"), RayEngine(workers=1, threads=1)
    )
    assert (ended.done, ended.failed) == (len(jobs), 1)
    assert ended.failures[0]["error"]["type"] == "VectorFileError"
    assert not ray.is_initialized()
    run_jobs([*jobs, *broken[:1]], ResultStore(tmp_path / "inline"), InlineEngine())
    found, expected = comparable(tmp_path / "ray"), comparable(tmp_path / "inline")
    assert found.keys() == expected.keys()
    for job in jobs:
        assert found[job.key] == expected[job.key]


def test_settings_that_clash_are_reported() -> None:
    with pytest.raises(SettingError, match="workers has no effect with an address"):
        RayEngine(address="auto", workers=2)
    with pytest.raises(SettingError, match=r"ray\.threads is 0: give 1 or more"):
        RayEngine(threads=0)


def test_the_inputs_used_least_recently_leave_the_object_store_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class FakeRay:
        def put(self, packed: object) -> object:
            return object()

    loaded.clear()
    stored = _StoredInputs(FakeRay())
    (only,) = stored.get([Table(1)])
    monkeypatch.setattr("bilex.jobs.ray.STORED_BYTES", 2 * only.bytes)
    for number in (1, 2, 1, 3, 1, 2):  # 3 takes the place of 2, and then 2 that of 3
        stored.get([Table(number)])
    assert [table.number for table in loaded] == [1, 2, 3, 2]
    assert len(stored.get([Table(4), Table(5), Table(6)])) == 3  # what a task needs always fits


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_node_cost_nothing_but_time(
    data: Path,
    tmp_path: Path,
    cluster: Any,  # noqa: ANN401
) -> None:
    jobs = jobs_of(write_suite(data, LENGTHY.replace("draws = 2", "draws = 24")))
    killed: list[object] = []

    def disturb(progress: JobProgress) -> None:
        for _ in range(2):
            at_work = workers(cluster)
            if at_work:
                os.kill(at_work[-1], signal.SIGKILL)
                killed.append(at_work[-1])
            time.sleep(1)
        node = next(node for node in cluster.worker_nodes)
        cluster.remove_node(node, allow_graceful=False)
        killed.append(node)

    engine = RayEngine(address=cluster.address)
    ended = run_while(jobs, tmp_path / "ray", engine, disturb)

    assert len(killed) == 3
    assert (ended.done, ended.failed) == (24, 0)
    run_jobs(jobs, ResultStore(tmp_path / "inline"), InlineEngine())
    assert comparable(tmp_path / "ray") == comparable(tmp_path / "inline")
    assert len(list((tmp_path / "ray" / "jobs").iterdir())) == 24


@pytest.mark.slow
def test_a_job_that_kills_every_worker_fails_alone(
    data: Path,
    tmp_path: Path,
    cluster: Any,  # noqa: ANN401
) -> None:
    jobs = jobs_of(write_suite(data, LENGTHY.replace("steps=1500", "steps=200000")))[:1]

    def disturb() -> None:
        while not done.is_set():
            for process in workers(cluster):
                os.kill(process, signal.SIGKILL)
            time.sleep(0.2)

    done = threading.Event()
    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        engine = RayEngine(address=cluster.address, retries=1)
        ended = run_jobs(jobs, ResultStore(tmp_path / "ray"), engine)
    finally:
        done.set()
        thread.join()
    assert (ended.done, ended.failed) == (0, 1)
    assert "WorkerCrashedError" in read(tmp_path / "ray")[jobs[0].key]["error"]["type"]


@pytest.mark.slow
def test_a_job_that_no_node_can_hold_is_reported(data: Path, tmp_path: Path, cluster: Any) -> None:  # noqa: ANN401
    engine = RayEngine(address=cluster.address, threads=64)
    with pytest.raises(SettingError, match="needs 64 CPUs, but no node has more than 1"):
        run_jobs(jobs_of(write_suite(data)), ResultStore(tmp_path / "ray"), engine)


def test_a_cluster_that_does_not_answer_is_reported(data: Path, tmp_path: Path) -> None:
    engine = RayEngine(address="127.0.0.1:1")
    with pytest.raises(SettingError, match="no Ray cluster answers at"):
        run_jobs(jobs_of(write_suite(data)), ResultStore(tmp_path / "ray"), engine)
