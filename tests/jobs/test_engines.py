"""Engines run any kind of task: here squares of numbers, one that fails, one that kills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import squares
from benchmark_results import read
from bilex.jobs import Engine, InlineEngine, LocalEngine, RayEngine, ResultStore, run_tasks
from squares import DEADLY, UNLUCKY, Square, Squaring, loaded

HARMLESS = [Square(number, number % 3) for number in (2, 3, 4, 5, UNLUCKY)]
ALL = [*HARMLESS, Square(DEADLY)]


def run(tasks: list[Square], folder: Path, engine: Engine) -> dict[str, dict[str, object]]:
    """Return the results by the name of the task."""
    ended = run_tasks(tasks, Squaring(), ResultStore(folder), engine)
    failed = {f"square-{task.number}" for task in tasks if task.number in (UNLUCKY, DEADLY)}
    assert (ended.done, ended.failed) == (len(tasks) - len(failed), len(failed))
    found = {str(result["name"]): result for result in read(folder).values()}
    assert {name for name, result in found.items() if result["status"] == "failed"} == failed
    for number in (2, 3, 4, 5):
        assert found[f"square-{number}"]["square"] == number**2
    assert found[f"square-{UNLUCKY}"]["error"] == "ArithmeticError: thirteen"
    return found


def test_tasks_in_this_process_load_what_a_group_shares_once(tmp_path: Path) -> None:
    loaded.clear()
    found = run(HARMLESS, tmp_path, InlineEngine())
    assert found["square-2"]["process"] == os.getpid()
    assert sorted(table.number for table in loaded) == [0, 1, 2]


def test_tasks_in_processes_of_their_own(tmp_path: Path) -> None:
    found = run(ALL, tmp_path, LocalEngine(workers=2, threads=1))
    assert found["square-2"]["process"] != os.getpid()
    assert "WorkerDied: the process of this job was ended by SIGKILL" in str(
        found[f"square-{DEADLY}"]["error"]
    )


@pytest.mark.filterwarnings("ignore")  # of Ray, about itself
def test_tasks_on_ray_read_their_inputs_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    installed = [str(Path(squares.__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, installed)))
    loaded.clear()
    found = run(ALL, tmp_path, RayEngine(workers=1, retries=0))
    assert found["square-2"]["process"] != os.getpid()
    assert found["square-2"]["copied"] is False
    assert "WorkerCrashedError" in str(found[f"square-{DEADLY}"]["error"])
    assert sorted(table.number for table in loaded) == [0, 1, 2]  # by the driver, each once


def test_an_input_that_cannot_be_loaded_fails_its_tasks_alone(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    ended = run_tasks([Square(2), Square(3, -1)], Squaring(), store, InlineEngine())
    assert (ended.done, ended.failed) == (1, 1)
    assert ended.failures[0]["error"] == "FileNotFoundError: no table -1"


def test_a_task_that_was_edited_is_run_again_and_its_old_result_set_aside(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    first, edited = Square(3), Square(3, version=2)
    run_tasks([first, Square(4)], Squaring(), store, InlineEngine())
    ended = run_tasks([edited], Squaring(offset=1), store, InlineEngine())
    assert (ended.total, ended.done) == (1, 1)
    assert read(tmp_path).keys() == {edited.key, Square(4).key}
    assert (tmp_path / "old" / f"{first.key}.json").exists()
