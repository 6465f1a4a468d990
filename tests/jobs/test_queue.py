"""Queue policies: ours, and one that another package brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from bilex.errors import PluginError, UnknownPluginError
from bilex.jobs import Finished, InlineEngine, QueuePolicy, ResultStore, TaskQueue, run_tasks
from bilex.jobs.queue import Grouped, InOrder
from bilex.registry import plugin_class, plugin_names
from conftest_types import Bilex
from squares import Square, Squaring
from third_party import install_package

MODULE = '''
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestFirst:
    """The task with the largest number first."""

    def choose(self, waiting, *, last, held):
        return max(range(len(waiting)), key=lambda i: waiting[i].number)
'''
ENTRY_POINTS = "[bilex.queue]\nlargest-first = third_party_queue:LargestFirst\n"

SQUARES = [Square(number, table) for table, number in ((0, 1), (1, 5), (0, 2), (2, 4), (1, 3))]


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with a queue policy, as pip would."""
    install_package(tmp_path / "site", {"third_party_queue": MODULE}, ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield
    sys.modules.pop("third_party_queue", None)


def order(folder: Path, queue: QueuePolicy | str) -> list[int]:
    """Return the order in which an inline run does the squares."""
    done: list[int] = []
    run_tasks(
        SQUARES,
        Squaring(),
        ResultStore(folder),
        InlineEngine(),
        queue=queue,
        on_event=lambda _, event: (
            done.append(event.task.number) if isinstance(event, Finished) else None
        ),
    )
    return done


def test_our_policies_are_found_by_name(tmp_path: Path) -> None:
    assert {"grouped", "in-order"} <= set(plugin_names("queue"))
    assert plugin_class("queue", "grouped") is Grouped
    assert order(tmp_path / "grouped", "grouped") == [1, 2, 5, 3, 4]
    assert order(tmp_path / "in-order", "in-order") == [1, 5, 2, 4, 3]
    assert order(tmp_path / "instance", InOrder()) == [1, 5, 2, 4, 3]
    with pytest.raises(UnknownPluginError, match=r"no queue plugin is called 'groupd' \(did you"):
        order(tmp_path / "unknown", "groupd")


@pytest.mark.usefixtures("_installed")
def test_a_policy_of_another_package_decides_the_order(tmp_path: Path) -> None:
    assert order(tmp_path / "r", "largest-first") == [5, 4, 3, 2, 1]


def test_the_command_takes_a_policy_by_name(bilex: Bilex, tmp_path: Path) -> None:
    suite = write_suite(write_data(tmp_path / "data"))
    some = ("--engine", "inline", "-o", "r", "--only", "method=procrustes,draw=0")
    assert bilex("bench", "run", suite, *some, "--queue", "in-order").code == 0
    unknown = bilex("bench", "run", suite, *some, "--queue", "in-ordr")
    assert unknown.code == 2
    assert "no queue plugin is called 'in-ordr' (did you mean 'in-order'?)" in unknown.err


def test_a_choice_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Beyond:
        def choose(self, waiting: object, *, last: object, held: object) -> int:
            return 5

    with pytest.raises(PluginError, match=r"Beyond chose task number 5 of 5: expected a number"):
        order(tmp_path / "r", Beyond())


def test_a_new_worker_is_sent_to_the_group_with_fewest_workers() -> None:
    queue = TaskQueue(SQUARES, Grouped(), lambda task: True)
    first, second, third = queue.take(), queue.take(), queue.take()
    assert (first, second, third) == (SQUARES[0], SQUARES[1], SQUARES[3])
    assert queue.take(third) == SQUARES[2]  # no task is left of its own group
    assert queue.take(first) == SQUARES[4]  # nor of this one
    assert queue.take(second) is None


def test_a_worker_keeps_its_vectors_while_there_are_jobs_for_them(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    both = SUITE.replace("draws = 2", 'draws = 2\ndirections = "both"')
    jobs = jobs_of(write_suite(data, both))
    queue = TaskQueue(jobs, Grouped(), lambda job: True)
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
