"""Jobs on the cores of one machine: a pool of processes, each with its share of threads."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from bilex.benchmark.engines.loading import SpaceLoader
from bilex.benchmark.execution import failed_result, run_job
from bilex.benchmark.job_queue import JobQueue
from bilex.benchmark.jobs import Job
from bilex.benchmark.runner import Event, Finished, Started
from bilex.bounds import require_at_least_one
from bilex.errors import BilexError
from bilex.values import Compute

SECONDS_TO_END = 5.0


class WorkerDied(BilexError, RuntimeError):
    """A process of the pool ended in the middle of a job."""


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEngine:
    """Runs jobs in processes of their own, so that one that dies takes nothing with it.

    Attributes:
        workers: How many jobs run at once.
        threads: How many threads a job computes with; None divides the cores evenly.
        cache: Folder of parsed vectors, mapped into memory and so shared by all processes.
        memory: Bytes that a search of one job may use.
    """

    workers: int
    threads: int | None = None
    cache: Path | None = None
    memory: int = Compute().memory

    def __post_init__(self) -> None:
        require_at_least_one("local", self, "workers")
        if self.threads is not None:
            require_at_least_one("local", self, "threads")

    def run(self, queue: JobQueue) -> Generator[Event, None, None]:
        """Yield what happens until the queue is empty."""
        threads = self.threads or max(1, available_cores() // self.workers)
        options = _Options(threads, self.cache, self.memory)
        busy: list[_Worker] = []
        try:
            while len(busy) < self.workers and (job := queue.take()) is not None:
                busy.append(_Worker(options))
                busy[-1].send(job)
                yield Started(job)
            while busy:
                for worker in _ready(busy):
                    yield from self._advance(worker, busy, queue, options)
        finally:
            for worker in busy:
                worker.stop()

    def _advance(
        self, worker: _Worker, busy: list[_Worker], queue: JobQueue, options: _Options
    ) -> Iterator[Event]:
        """Take the result of a worker and give it another job; replace it if it has died."""
        finished = worker.receive()
        yield finished
        job = queue.take(finished.job)
        if job is None or not worker.alive:
            busy.remove(worker)
            worker.stop()
        if job is not None:
            if not worker.alive:
                worker = _Worker(options)
                busy.append(worker)
            worker.send(job)
            yield Started(job)


@dataclass(frozen=True, slots=True)
class _Options:
    threads: int
    cache: Path | None
    memory: int


class _Worker:
    """A process, the pipe to it, and the job it has."""

    def __init__(self, options: _Options) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_work, args=(other, options), name="bilex-bench", daemon=True
        )
        with _deaf_to_interrupts():
            self.process.start()
        other.close()  # so that the pipe ends when the process does
        self.job: Job | None = None
        self.alive = True

    def send(self, job: Job) -> None:
        """Begin a job."""
        self.job = job
        with contextlib.suppress(OSError):  # it has died: receiving will tell
            self.pipe.send(job)

    def receive(self) -> Finished:
        """Wait for the result of the job; a process that died gives one too."""
        job, self.job = self.job, None
        if job is None:
            raise WorkerDied("a worker without a job was asked for its result")
        try:
            return Finished(job, self.pipe.recv())
        except (EOFError, OSError):
            self.alive = False
            self.process.join(SECONDS_TO_END)
            return Finished(job, failed_result(job, WorkerDied(self._cause())))

    def stop(self) -> None:
        """End the process, in the middle of a job if need be."""
        self.alive = False
        self.pipe.close()
        if self.job is not None:
            self.process.terminate()
        self.process.join(SECONDS_TO_END)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def _cause(self) -> str:
        code = self.process.exitcode
        if code is not None and code < 0:
            return (
                f"the process of this job was ended by {signal.Signals(-code).name}: out of "
                "memory? try fewer --workers, then --retry-failed"
            )
        return f"the process of this job ended with code {code}: try --retry-failed"


def _ready(busy: list[_Worker]) -> list[_Worker]:
    """Wait until at least one worker has something to tell, or has died."""
    ready = set(connection.wait([worker.pipe for worker in busy]))
    return [worker for worker in busy if worker.pipe in ready]


def _work(pipe: Connection, options: _Options) -> None:
    """Do jobs until the pipe closes; the body of a process."""
    import torch

    _end_with_parent()
    torch.set_num_threads(options.threads)
    loader = SpaceLoader(options.cache)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(run_job(job, loader.reader(job), memory=options.memory))


def _end_with_parent() -> None:
    """Leave no process behind when the one that started it is killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let a process started meanwhile ignore Ctrl-C: its parent hears it, and ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
