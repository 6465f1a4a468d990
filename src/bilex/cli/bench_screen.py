"""How a benchmark job is shown while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bilex.cli import run_screen
from bilex.cli.run_screen import Shown

if TYPE_CHECKING:
    from bilex.benchmark import Job, OnJobEvent


@contextmanager
def watching(title: str) -> Iterator[OnJobEvent]:
    """Yield a callback that shows the progress of a run."""
    shown = Shown(("running", "method"), ("seeds", "draw"), _cells, job_name)
    with run_screen.watching(title, shown) as watch:
        yield watch


def job_name(job: Job) -> str:
    """Name a job in one line."""
    seeds = f"{job.seeds:,} seeds" if job.seeds else "no seeds"
    return f"{job.pair} {job.method.name}, {seeds}, draw {job.draw}"


def _cells(job: Job) -> tuple[str, ...]:
    return job.pair, job.method.name, f"{job.seeds:,}", str(job.draw)
