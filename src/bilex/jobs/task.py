"""The protocols of a task, its inputs, and the work that runs it.

The benchmark defines one kind of task and work; other kinds run in the same way.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

Result = Mapping[str, Any]
"""A JSON object with at least the `key` of its task and a `status`, "done" or "failed"."""

Load = Callable[[], Sequence[object]]
"""Returns the loaded inputs of a task, in the order of `Work.inputs`."""


class Task(Protocol):
    """One unit of work: a value that can be pickled."""

    @property
    def key(self) -> str:
        """Return the hash of everything that determines the result."""
        ...

    @property
    def name(self) -> str:
        """Return the name of the task, independent of its settings.

        A result with the same name and another key is outdated, because the task was changed.
        """
        ...

    @property
    def group(self) -> Hashable:
        """Return a value that tasks with the same inputs share; workers stay within a group."""
        ...

    @property
    def kind(self) -> str:
        """Return a text that tasks of about the same duration share, for time estimates."""
        ...


class Input(Protocol):
    """An input of tasks: a hashable value that can be pickled.

    Equal inputs have equal contents. A worker loads an input once for consecutive tasks. The result
    of `load` must be picklable too. The memory of numpy arrays in it is not copied: all Ray workers
    of a node share one read-only copy.
    """

    def load(self) -> object:
        """Read the input; an error makes the task fail."""
        ...


TaskT = TypeVar("TaskT", bound=Task)
ResultT = TypeVar("ResultT", bound=Result)
_TaskT = TypeVar("_TaskT", bound=Task, contravariant=True)
_ResultT = TypeVar("_ResultT", bound=Result, covariant=True)


class Work(Protocol[_TaskT, _ResultT]):
    """Runs single tasks: a frozen dataclass of settings that can be pickled."""

    def inputs(self, task: _TaskT) -> Sequence[Input]:
        """Return the inputs of the task."""
        ...

    def run(self, task: _TaskT, load: Load) -> _ResultT:
        """Return the result of a task; an exception makes only this task fail."""
        ...

    def failed(self, task: _TaskT, problem: BaseException) -> _ResultT:
        """Return the result of a task that ended in an error."""
        ...

    def memory_needed(self, task: _TaskT, input_bytes: int) -> int:
        """Estimate the bytes that a process needs to run the task."""
        ...

    def task_name(self, result: Result) -> str:
        """Return the `name` of the task of a stored result, which may be of another kind."""
        ...


def error_of(problem: BaseException) -> dict[str, str]:
    """Return an error as plain values, for the result of a task that failed."""
    return {
        "type": type(problem).__name__,
        "message": str(problem),
        "traceback": "".join(traceback.format_exception(problem)),
    }


def perform(work: Work[TaskT, ResultT], task: TaskT, load: Load) -> ResultT:
    """Run a task in this process; an error becomes a failed result, only interrupts are raised."""
    try:
        return work.run(task, load)
    except Exception as problem:  # noqa: BLE001 - a failing task must not stop the others
        return work.failed(task, problem)
