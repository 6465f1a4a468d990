"""Run the tasks of a list that have no result yet, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, cast

from bilex.jobs.progress import RunProgress
from bilex.jobs.queue import QueuePolicy, TaskQueue
from bilex.jobs.result_store import ResultStore
from bilex.jobs.task import ResultT, TaskT, Work
from bilex.registry import resolve


@dataclass(frozen=True, slots=True)
class Started(Generic[TaskT]):
    """A task was given to a worker."""

    task: TaskT


@dataclass(frozen=True, slots=True)
class Finished(Generic[TaskT, ResultT]):
    """A task has ended, with its result."""

    task: TaskT
    result: ResultT


Event: TypeAlias = Started[TaskT] | Finished[TaskT, ResultT]

OnEvent: TypeAlias = Callable[[RunProgress[TaskT], Event[TaskT, ResultT]], None]
"""Called after each task that begins or ends, with the updated progress."""


class Engine(Protocol):
    """Runs tasks: in this process, on this machine or on a cluster."""

    def run(
        self, work: Work[TaskT, ResultT], queue: TaskQueue[TaskT]
    ) -> Generator[Event[TaskT, ResultT], None, None]:
        """Yield events until the queue is empty; closing the generator stops all work."""
        ...

    def session(self) -> AbstractContextManager[None]:
        """Keep what several calls of `run` share, such as the connection to a cluster."""
        ...


@dataclass(frozen=True, slots=True)
class Standing(Generic[TaskT]):
    """Tasks by the status of their stored result."""

    missing: list[TaskT]
    done: list[TaskT]
    failed: list[TaskT]


def standing(tasks: Sequence[TaskT], store: ResultStore) -> Standing[TaskT]:
    """Return which tasks have a result."""
    found: dict[str | None, list[TaskT]] = {"done": [], "failed": [], None: []}
    for task in tasks:
        found[store.status(task.key)].append(task)
    return Standing(found[None], found["done"], found["failed"])


def run_tasks(
    tasks: Sequence[TaskT],
    work: Work[TaskT, ResultT],
    store: ResultStore,
    engine: Engine,
    *,
    queue: QueuePolicy | str = "grouped",
    retry_failed: bool = False,
    on_event: OnEvent[TaskT, ResultT] | None = None,
) -> RunProgress[TaskT]:
    """Run the tasks that have no result yet, and store each result as soon as it is known.

    Args:
        tasks: All tasks.
        work: Runs a single task.
        store: The stored results; new ones are added.
        engine: Executes the tasks.
        queue: Decides the order: a policy, or the name of a `queue` plugin.
        retry_failed: Whether tasks that failed in an earlier run are run again.
        on_event: Called after each task that begins or ends.

    Returns:
        The final counts. An interrupt stops all work and is raised again; stored results are kept.

    Raises:
        UnknownPluginError: If no queue policy has the given name.
    """
    policy = cast(QueuePolicy, resolve("queue", queue))
    store.bring_up_to_date(tasks, work.task_name)
    found = standing(tasks, store)
    missing = list(found.missing)
    if retry_failed:
        for task in found.failed:
            store.forget_failure(task.key)
        again = {task.key for task in (*found.missing, *found.failed)}
        missing = [task for task in tasks if task.key in again]
    progress: RunProgress[TaskT] = RunProgress(total=len(missing), before=len(tasks) - len(missing))
    for task in missing:
        progress.expect(task)
    waiting = TaskQueue(missing, policy, lambda task: store.status(task.key) is None)
    with closing(engine.run(work, waiting)) as events:
        for event in events:
            if isinstance(event, Started):
                progress.start(event.task)
            else:
                store.keep(event.result)
                progress.end(event.task, event.result)
            _count_elsewhere(progress, waiting)
            if on_event is not None:
                on_event(progress, event)
    _count_elsewhere(progress, waiting)
    return progress


def _count_elsewhere(progress: RunProgress[TaskT], queue: TaskQueue[TaskT]) -> None:
    while queue.done_elsewhere:
        progress.skip(queue.done_elsewhere.pop())
