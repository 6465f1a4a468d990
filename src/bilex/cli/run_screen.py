"""The progress of a run of many jobs: a live table on a terminal, a few lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bilex.cli.screen import note
from bilex.progress.bar import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from bilex.jobs import RunProgress

ROWS = 20
"""The largest number of running jobs on screen."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How a job is shown.

    Attributes:
        texts: The headings of the columns of text.
        numbers: The headings of the columns of numbers, which follow.
        cells: Returns the cells of a job, in the order of the columns.
        name: Names a job in one line.
    """

    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    cells: Callable[[Any], tuple[str, ...]]
    name: Callable[[Any], str]


class Watch:
    """Shows the progress after each job that begins or ends.

    Attributes:
        title: The name of the run; it may change.
    """

    def __init__(self, title: str, shown: Shown) -> None:
        self.title = title
        self._shown = shown

    def __call__(self, progress: RunProgress[Any], event: Any) -> None:  # noqa: ANN401
        """Show the progress."""
        raise NotImplementedError


@contextmanager
def watching(title: str, shown: Shown) -> Iterator[Watch]:
    """Yield a callback that shows the progress of a run."""
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield _LogLines(title, shown)
        return
    screen = _Screen(title, shown)
    with Live(console=console, get_renderable=screen.render, refresh_per_second=2, transient=True):
        yield screen


class _Screen(Watch):
    """Draws the table of running jobs."""

    def __init__(self, title: str, shown: Shown) -> None:
        super().__init__(title, shown)
        self._progress: RunProgress[Any] | None = None

    def __call__(self, progress: RunProgress[Any], event: Any) -> None:  # noqa: ANN401
        self._progress = progress

    def render(self) -> Group | Text:
        """Return the table as of now."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        if self._progress is None:
            return Text(f"{self.title}: starting")
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in self._shown.texts:
            table.add_column(name)
        for name in (*self._shown.numbers, "for"):
            table.add_column(name, justify="right")
        now = time.monotonic()
        for job, begin in list(self._progress.running.values())[:ROWS]:
            table.add_row(*self._shown.cells(job), duration(now - begin))
        return Group(Text(_summary(self.title, self._progress)), table)


class _LogLines(Watch):
    """Writes a line for each failure, and one of progress as a stage begins and now and then."""

    def __init__(self, title: str, shown: Shown) -> None:
        super().__init__(title, shown)
        self._last = time.monotonic()
        self._reported = 0
        self._progress: RunProgress[Any] | None = None

    def __call__(self, progress: RunProgress[Any], event: Any) -> None:  # noqa: ANN401
        begins = progress is not self._progress  # another stage
        if begins:
            self._progress, self._reported = progress, 0
        for failure in progress.failures[self._reported :]:
            error = failure["error"]
            note(f"failed: {self._shown.name(event.task)}: {error['type']}: {error['message']}")
        self._reported = len(progress.failures)
        now = time.monotonic()
        if begins or now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            note(_summary(self.title, progress))


def duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"


def _summary(title: str, progress: RunProgress[Any]) -> str:
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
        parts.append(f"about {duration(left)} left")
    return ", ".join(parts)
