"""A progress bar on a terminal or in a notebook, and occasional lines in a log."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bilex.errors import visible
from bilex.progress.stages import WorkProgress

if TYPE_CHECKING:
    from rich.console import Console

SECONDS_BETWEEN_LINES = 15.0
"""In a log, progress is a line at this interval instead of a bar."""

_TICK = 0.5  # seconds between two updates of the bar
_LEAST_SHARE = 0.02  # of the work, before the time left is shown


class Estimate:
    """Estimates how much is done at any time, and how long the rest will take."""

    def __init__(self) -> None:
        self.stage = ""
        self._begin = self._when = time.monotonic()
        self._share = self._until = 0.0

    def update(self, progress: WorkProgress) -> None:
        """Update the estimate with a report."""
        reached = self.share  # a bar never goes back
        self.stage, self._when = progress.stage, time.monotonic()
        self._share = max(progress.share, reached)
        self._until = max(progress.until, reached)

    @property
    def elapsed(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self._begin

    @property
    def share(self) -> float:
        """Return the share that is done, extrapolated from the last report at the same speed."""
        spent = self._when - self._begin
        if self._share <= 0 or spent <= 0:
            return self._share
        since = time.monotonic() - self._when
        return min(self._share + since * self._share / spent, self._until)

    @property
    def left(self) -> float | None:
        """Return the seconds left; None if it is too early for an estimate."""
        share = self.share
        return None if share < _LEAST_SHARE else self.elapsed * (1 - share) / share


class WorkBar:
    """Shows reports of progress; use it as a callback inside `work_bar`."""

    def __init__(self) -> None:
        self.estimate = Estimate()

    def __call__(self, progress: WorkProgress) -> None:
        """Show a report."""
        self.estimate.update(progress)

    def note(self, message: str) -> None:
        """Print a line without disturbing the bar."""
        sys.stderr.write(f"{visible(message)}\n")


@contextmanager
def work_bar(title: str) -> Iterator[WorkBar]:
    """Show one bar for all stages of the work, with the time elapsed and the time left.

    On a terminal and in a notebook it is a bar, elsewhere a line at intervals.
    """
    from rich.console import Console

    console = Console(file=sys.stderr)
    if _in_notebook():
        shown = _notebook_line(title)
    else:
        shown = _rich_bar(title, console) if console.is_terminal else _lines(title)
    with shown as bar:
        yield bar


def clock(seconds: float) -> str:
    """Return a time as text: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def _in_notebook() -> bool:
    if "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    # Scripts may import ipykernel, too: only the shell of a notebook has a kernel.
    return hasattr(get_ipython(), "kernel")


@contextmanager
def _rich_bar(title: str, console: Console) -> Iterator[WorkBar]:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

    class Bar(WorkBar):
        def note(self, message: str) -> None:
            live.console.print(visible(message), markup=False, highlight=False, soft_wrap=True)

    bar = Bar()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[times]}"),
    )
    with Progress(*columns, console=console, transient=True) as live:
        task = live.add_task(title, total=1.0, times="")

        def show() -> None:
            found = bar.estimate
            stage = f"{title}: {found.stage}" if found.stage else title
            live.update(task, completed=found.share, description=stage, times=_times(found))

        with _ticking(show, _TICK):
            yield bar


@contextmanager
def _notebook_line(title: str) -> Iterator[WorkBar]:
    """Show one line that is updated in place; rich would need ipywidgets for that."""
    from IPython.display import display

    bar = WorkBar()
    begin = time.monotonic()
    line: Any = display({"text/plain": title}, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def show() -> None:
        line.update({"text/plain": _line(title, bar.estimate)}, raw=True)

    with _ticking(show, 2 * _TICK):
        yield bar
    line.update({"text/plain": f"{title}: {clock(time.monotonic() - begin)}"}, raw=True)


@contextmanager
def _lines(title: str) -> Iterator[WorkBar]:
    bar = WorkBar()

    def show() -> None:
        bar.note(_line(title, bar.estimate))

    with _ticking(show, SECONDS_BETWEEN_LINES):
        yield bar


def _line(title: str, found: Estimate) -> str:
    return f"{title}: {found.stage}, {found.share:.0%}, {_times(found)}"


def _times(found: Estimate) -> str:
    left = found.left
    passed = clock(found.elapsed)
    return passed if left is None else f"{passed}, about {clock(left)} left"


@contextmanager
def _ticking(show: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call a function at intervals from another thread, until the work ends."""
    over = threading.Event()

    def tick() -> None:
        while not over.wait(seconds):
            show()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
