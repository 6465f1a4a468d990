"""What the runner knows of a task, of its inputs, and of the work done with it.

The benchmark brings one kind of task and work; any other kind runs the same way.
"""

from __future__ import annotations

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
        """Return what identifies the task, independent of its settings.

        A result of the same name with another key is outdated: the task was edited since.
        """
        ...

    @property
    def group(self) -> Hashable:
        """Return the same value for tasks with the same inputs; a worker is kept on a group."""
        ...

    @property
    def kind(self) -> str:
        """Return the same text for tasks that take about the same time, to estimate the rest."""
        ...


class Input(Protocol):
    """Something that tasks read: a hashable value that can be pickled.

    Equal inputs have equal contents, and are loaded once for all tasks that a worker does in a
    row. What `load` returns must be picklable too. The memory of numpy arrays in it is not copied:
    all Ray workers of a node share one copy, which is read-only.
    """

    def load(self) -> object:
        """Read the input. An error fails the task."""
        ...


TaskT = TypeVar("TaskT", bound=Task)
ResultT = TypeVar("ResultT", bound=Result)
_TaskT = TypeVar("_TaskT", bound=Task, contravariant=True)
_ResultT = TypeVar("_ResultT", bound=Result, covariant=True)


class Work(Protocol[_TaskT, _ResultT]):
    """What is done with tasks: a frozen dataclass of settings that can be pickled."""

    def inputs(self, task: _TaskT) -> Sequence[Input]:
        """Return what the task reads."""
        ...

    def run(self, task: _TaskT, load: Load) -> _ResultT:
        """Return the result of a task; an exception fails the task and no other."""
        ...

    def failed(self, task: _TaskT, problem: BaseException) -> _ResultT:
        """Return the result of a task that ended in an error."""
        ...

    def memory_needed(self, task: _TaskT, input_bytes: int) -> int:
        """Estimate the bytes that a process needs to run the task."""
        ...

    def task_name(self, result: Result) -> str:
        """Return the `name` of the task of a stored result, which may come from other work."""
        ...


def perform(work: Work[TaskT, ResultT], task: TaskT, load: Load) -> ResultT:
    """Run a task in this process. Only an interrupt is raised; an error becomes a result."""
    try:
        return work.run(task, load)
    except Exception as problem:  # noqa: BLE001 - a failing task must not stop the others
        return work.failed(task, problem)
