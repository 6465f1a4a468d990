"""Run one task after the other in this process: for debugging and for a few quick tasks."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic

from bilex.jobs.queue import TaskQueue
from bilex.jobs.runner import Event, Finished, Started
from bilex.jobs.task import Input, ResultT, TaskT, Work, perform


class Worker(Generic[TaskT, ResultT]):
    """Runs tasks one after the other and caches the inputs of the last one."""

    def __init__(self, work: Work[TaskT, ResultT]) -> None:
        self._work = work
        self._loaded: dict[Input, object] = {}

    def run(self, task: TaskT) -> ResultT:
        """Return the result of a task; an error becomes a failed result."""
        return perform(self._work, task, lambda: self._load(task))

    def _load(self, task: TaskT) -> Sequence[object]:
        wanted = self._work.inputs(task)
        # Free the inputs that this task does not need before loading new ones.
        self._loaded = {each: self._loaded[each] for each in wanted if each in self._loaded}
        for each in wanted:
            if each not in self._loaded:
                self._loaded[each] = each.load()
        return [self._loaded[each] for each in wanted]


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineEngine:
    """Runs tasks in this process, with its number of threads."""

    def run(
        self, work: Work[TaskT, ResultT], queue: TaskQueue[TaskT]
    ) -> Generator[Event[TaskT, ResultT], None, None]:
        """Yield events until the queue is empty."""
        worker = Worker(work)
        task = queue.take()
        while task is not None:
            yield Started(task)
            yield Finished(task, worker.run(task))
            task = queue.take(task)

    def session(self) -> AbstractContextManager[None]:
        """Share nothing: every call of `run` starts afresh."""
        return nullcontext()
