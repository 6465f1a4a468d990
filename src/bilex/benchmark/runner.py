"""Running what is missing of a list of jobs, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from bilex.benchmark.execution import Result
from bilex.benchmark.job_queue import JobQueue
from bilex.benchmark.jobs import Job
from bilex.benchmark.progress import RunProgress
from bilex.benchmark.results import ResultStore


@dataclass(frozen=True, slots=True)
class Started:
    """A job was handed to a worker."""

    job: Job


@dataclass(frozen=True, slots=True)
class Finished:
    """A job came back with its result."""

    job: Job
    result: Result


Event = Started | Finished

OnEvent = Callable[[RunProgress, Event], None]
"""Told of each job that begins or ends, when it has been counted."""


class Engine(Protocol):
    """Somewhere to run jobs."""

    def run(self, queue: JobQueue) -> Generator[Event, None, None]:
        """Yield what happens until the queue is empty; closing the generator stops all work."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """The jobs of a plan by what is known of them."""

    missing: list[Job]
    done: list[Job]
    failed: list[Job]


def standing(jobs: Sequence[Job], store: ResultStore) -> Standing:
    """Tell which jobs have a result."""
    found: dict[str | None, list[Job]] = {"done": [], "failed": [], None: []}
    for job in jobs:
        found[store.status(job.key)].append(job)
    return Standing(found[None], found["done"], found["failed"])


def run_jobs(
    jobs: Sequence[Job],
    store: ResultStore,
    engine: Engine,
    *,
    retry_failed: bool = False,
    on_event: OnEvent | None = None,
) -> RunProgress:
    """Run the jobs that have no result yet, and keep each result as soon as it is there.

    Args:
        jobs: All jobs that are wanted, with the hashes of their files.
        store: Where results are, and go.
        engine: What runs them.
        retry_failed: Whether jobs that failed before are run again.
        on_event: Told of each job that begins or ends.

    Returns:
        How the run ended. An interrupt stops all work and is raised again; what has ended by then
        is kept.
    """
    store.bring_up_to_date(jobs)
    found = standing(jobs, store)
    missing = list(found.missing)
    if retry_failed:
        for job in found.failed:
            store.forget_failure(job.key)
        again = {job.key for job in (*found.missing, *found.failed)}
        missing = [job for job in jobs if job.key in again]
    progress = RunProgress(total=len(missing), before=len(jobs) - len(missing))
    for job in missing:
        progress.expect(job)
    queue = JobQueue(missing, lambda job: store.status(job.key) is None)
    with closing(engine.run(queue)) as events:
        for event in events:
            if isinstance(event, Started):
                progress.start(event.job)
            else:
                store.keep(event.result)
                progress.end(event.job, event.result)
            _note_elsewhere(progress, queue)
            if on_event is not None:
                on_event(progress, event)
    _note_elsewhere(progress, queue)
    return progress


def _note_elsewhere(progress: RunProgress, queue: JobQueue) -> None:
    while queue.done_elsewhere:
        progress.skip(queue.done_elsewhere.pop())
