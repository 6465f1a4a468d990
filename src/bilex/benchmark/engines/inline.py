"""One job after the other in this very process: to debug, and for a handful of quick jobs."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from bilex.benchmark.engines.loading import SpaceLoader
from bilex.benchmark.execution import run_job
from bilex.benchmark.job_queue import JobQueue
from bilex.benchmark.runner import Event, Finished, Started
from bilex.values import Compute


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineEngine:
    """Runs jobs in this process, with the threads it has.

    Attributes:
        cache: Folder of parsed vectors; None parses them each time.
        memory: Bytes that a search may use.
    """

    cache: Path | None = None
    memory: int = Compute().memory

    def run(self, queue: JobQueue) -> Generator[Event, None, None]:
        """Yield what happens until the queue is empty."""
        loader = SpaceLoader(self.cache)
        job = queue.take()
        while job is not None:
            yield Started(job)
            yield Finished(job, run_job(job, loader.reader(job), memory=self.memory))
            job = queue.take(job)
