"""The progress of a benchmark run: a live table on a terminal, a few lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bilex.cli.screen import note
from bilex.progress.bar import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from bilex.benchmark import Job, JobEvent, JobProgress, OnJobEvent

ROWS = 20
"""The largest number of running jobs on screen."""


@contextmanager
def watching(title: str) -> Iterator[OnJobEvent]:
    """Yield a callback that shows the progress of a run."""
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield _LogLines(title)
        return
    screen = _Screen(title)
    with Live(console=console, get_renderable=screen.render, refresh_per_second=2, transient=True):
        yield screen


def job_name(job: Job) -> str:
    """Name a job in one line."""
    seeds = f"{job.seeds:,} seeds" if job.seeds else "no seeds"
    return f"{job.pair} {job.method.name}, {seeds}, draw {job.draw}"


class _Screen:
    """Draws the table of running jobs."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._progress: JobProgress | None = None

    def __call__(self, progress: JobProgress, event: JobEvent) -> None:
        self._progress = progress

    def render(self) -> Group | Text:
        """Return the table as of now."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        if self._progress is None:
            return Text(f"{self._title}: starting")
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("running")
        table.add_column("method")
        for name in ("seeds", "draw", "for"):
            table.add_column(name, justify="right")
        now = time.monotonic()
        for job, begin in list(self._progress.running.values())[:ROWS]:
            numbers = (f"{job.seeds:,}", str(job.draw), _duration(now - begin))
            table.add_row(job.pair, job.method.name, *numbers)
        return Group(Text(_summary(self._title, self._progress)), table)


class _LogLines:
    """Writes a line for each failure, and a line of progress at most every few seconds."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._last = time.monotonic()
        self._reported = 0

    def __call__(self, progress: JobProgress, event: JobEvent) -> None:
        for failure in progress.failures[self._reported :]:
            error = failure["error"]
            note(f"failed: {job_name(event.task)}: {error['type']}: {error['message']}")
        self._reported = len(progress.failures)
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            note(_summary(self._title, progress))


def _summary(title: str, progress: JobProgress) -> str:
    parts = [f"{title}: {progress.ended:,} of {progress.total:,} jobs"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.before:
        parts.append(f"{progress.before:,} finished earlier")
    parts.append(f"{len(progress.running):,} running")
    minutes = (time.monotonic() - progress.begin) / 60
    if progress.done:
        parts.append(f"{progress.done / max(minutes, 1e-9):.1f} per minute")
    left = progress.seconds_left()
    if left is not None:
        parts.append(f"about {_duration(left)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"
