"""Results on disk: complete or absent, whatever happens at the same time."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from bilex.benchmark import BenchmarkWork, ResultStore
from bilex.errors import InputFileError
from squares import Square, Squaring


def result(status: str = "done", note: int = 0) -> dict[str, object]:
    return {"key": "k", "status": status, "note": note}


def kept(store: ResultStore) -> dict[str, object]:
    found: dict[str, object] = json.loads(store.path("k").read_text())
    return found


def test_the_first_result_stays(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    assert store.status("k") is None
    assert store.keep(result(note=1))
    assert not store.keep(result(note=2))
    assert not store.keep(result("failed", note=3))
    assert kept(store)["note"] == 1
    assert store.status("k") == "done"
    assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["k.json"]


def test_a_failure_gives_way_to_a_success_only(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    assert store.keep(result("failed", note=1))
    assert not store.keep(result("failed", note=2))
    assert kept(store)["note"] == 1
    assert store.keep(result(note=3))
    assert kept(store)["note"] == 3


def test_only_failures_are_forgotten(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.forget_failure("k")
    store.keep(result("failed"))
    store.forget_failure("k")
    assert store.status("k") is None
    store.keep(result(note=5))
    store.forget_failure("k")
    assert kept(store)["note"] == 5
    assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["k.json"]


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    store = ResultStore(tmp_path)
    assert store.keep(result("failed"))
    assert store.keep(result(note=1))
    assert not store.keep(result(note=2))
    assert kept(store)["note"] == 1


def test_of_many_writers_at_once_exactly_one_is_heard(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(lambda note: store.keep(result(note=note)), range(64)))
    assert sum(heard) == 1
    assert kept(store)["note"] == heard.index(True)


def test_what_cannot_be_read_is_made_again_or_reported(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.path("k").parent.mkdir()
    store.path("k").write_text('{"key": "k", "sta')
    assert store.status("k") is None
    with pytest.raises(InputFileError, match="is not the result of a job: delete the file"):
        list(store.read())
    assert store.keep(result(note=1))
    assert [found["note"] for found in store.read()] == [1]


def test_results_of_before_an_edit_are_set_aside_and_brought_back(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    edited = jobs_of(write_suite(data, SUITE.replace("rounds=2", "rounds=3")))
    jobs = jobs_of(write_suite(data))
    store = ResultStore(tmp_path / "results")
    for job in jobs:
        store.keep({"key": job.key, "status": "done", "suite": job.suite, "job": job.identity})

    store.bring_up_to_date(edited, BenchmarkWork().task_name)

    short = {job.key for job in jobs if job.method.name == "short"}
    assert {found["key"] for found in store.read()} == {job.key for job in jobs} - short
    assert {path.stem for path in (tmp_path / "results" / "old").iterdir()} == short

    store.bring_up_to_date(jobs, BenchmarkWork().task_name)

    assert {found["key"] for found in store.read()} == {job.key for job in jobs}


def test_numbers_that_json_lacks_are_refused(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        store.keep({**result(), "score": float("nan")})
    assert not list((tmp_path / "jobs").iterdir())


def test_a_store_of_replaced_files_does_not_restore_old_results(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, restores=False)
    store.keep({"key": "square-1-v1", "status": "done", "name": "square-1"})
    store.bring_up_to_date([Square(1, version=2)], Squaring().task_name)
    assert store.statuses() == {}
    store.bring_up_to_date([Square(1)], Squaring().task_name)
    assert store.status("square-1-v1") is None


def test_a_result_can_be_forgotten(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.keep({"key": "a", "status": "done"})
    assert store.load("a") == {"key": "a", "status": "done"}
    store.forget("a")
    store.forget("a")
    assert store.load("a") is None
