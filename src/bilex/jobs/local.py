"""Run tasks on the cores of one machine: a pool of processes, each with some of the threads."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Generic

from bilex.config import require_at_least_one
from bilex.errors import BilexError
from bilex.jobs.inline import Worker
from bilex.jobs.queue import TaskQueue
from bilex.jobs.runner import Event, Finished, Started
from bilex.jobs.task import ResultT, TaskT, Work

SECONDS_TO_END = 5.0


class WorkerDied(BilexError, RuntimeError):
    """A process of the pool ended during a task."""


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEngine:
    """Runs tasks in separate processes; a process that dies fails only its own task.

    Attributes:
        workers: How many tasks run at once.
        threads: Threads per task; None divides the cores evenly.
    """

    workers: int
    threads: int | None = None

    def __post_init__(self) -> None:
        require_at_least_one("local", self, "workers")
        if self.threads is not None:
            require_at_least_one("local", self, "threads")

    def run(
        self, work: Work[TaskT, ResultT], queue: TaskQueue[TaskT]
    ) -> Generator[Event[TaskT, ResultT], None, None]:
        """Yield events until the queue is empty."""
        threads = self.threads or max(1, available_cores() // self.workers)
        busy: list[_Process[TaskT, ResultT]] = []
        try:
            while len(busy) < self.workers and (task := queue.take()) is not None:
                busy.append(_Process(work, threads))
                busy[-1].send(task)
                yield Started(task)
            while busy:
                for process in _ready(busy):
                    yield from _advance(process, busy, queue)
        finally:
            for process in busy:
                process.stop()

    def session(self) -> AbstractContextManager[None]:
        """Share nothing: every call of `run` starts afresh."""
        return nullcontext()


class _Process(Generic[TaskT, ResultT]):
    """A process, its pipe, and its current task."""

    def __init__(self, work: Work[TaskT, ResultT], threads: int) -> None:
        self.work, self.threads = work, threads
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_run_tasks, args=(other, work, threads), name="bilex-worker", daemon=True
        )
        with _ignoring_interrupts():
            self.process.start()
        other.close()  # so that the pipe closes when the process ends
        self.task: TaskT | None = None
        self.alive = True

    def send(self, task: TaskT) -> None:
        """Send a task to the process."""
        self.task = task
        with contextlib.suppress(OSError):  # the process has died: `receive` returns the failure
            self.pipe.send(task)

    def receive(self) -> Finished[TaskT, ResultT]:
        """Wait for the result of the task; if the process died, it is a failure."""
        task, self.task = self.task, None
        if task is None:
            raise WorkerDied("a process without a task has no result: call send() first")
        try:
            return Finished(task, self.pipe.recv())
        except (EOFError, OSError):
            self.alive = False
            self.process.join(SECONDS_TO_END)
            return Finished(task, self.work.failed(task, WorkerDied(self._cause())))

    def stop(self) -> None:
        """End the process, even during a task."""
        self.alive = False
        self.pipe.close()
        if self.task is not None:
            self.process.terminate()
        self.process.join(SECONDS_TO_END)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def _cause(self) -> str:
        code = self.process.exitcode
        if code is not None and code < 0:
            return (
                f"the process of this job was ended by {signal.Signals(-code).name}, perhaps "
                "because the memory was full: use fewer --workers, and --retry-failed"
            )
        return f"the process of this job ended with code {code}: run again with --retry-failed"


def _ready(busy: list[_Process[TaskT, ResultT]]) -> list[_Process[TaskT, ResultT]]:
    """Wait until at least one process has a result, or has died."""
    ready = set(connection.wait([process.pipe for process in busy]))
    return [process for process in busy if process.pipe in ready]


def _advance(
    process: _Process[TaskT, ResultT],
    busy: list[_Process[TaskT, ResultT]],
    queue: TaskQueue[TaskT],
) -> Iterator[Event[TaskT, ResultT]]:
    """Receive the result of a process and send it another task; replace it if it has died."""
    finished = process.receive()
    yield finished
    task = queue.take(finished.task)
    if task is None or not process.alive:
        busy.remove(process)
        process.stop()
    if task is not None:
        if not process.alive:
            process = _Process(process.work, process.threads)
            busy.append(process)
        process.send(task)
        yield Started(task)


def _run_tasks(pipe: Connection, work: Work[TaskT, ResultT], threads: int) -> None:
    """Run tasks until the pipe closes; the main function of a process."""
    import torch

    # The parent's setting is inherited, except on Windows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    torch.set_num_threads(threads)
    worker = Worker(work)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(worker.run(task))


def _end_with_parent() -> None:
    """End this process when its parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Make processes that are started here ignore Ctrl-C: the parent handles it and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
