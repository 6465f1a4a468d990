"""The table of data sets, and the progress of a download: a bar, or lines in a log."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bilex.catalog import Entry, readable
from bilex.cli.screen import note
from bilex.errors import visible
from bilex.progress.bar import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

UNKNOWN = "–"
_INDENT = "    "


def table(entries: Sequence[Entry]) -> str:
    """Return a line of facts for each entry, and below it what the entry is good for."""
    rows = [("name", "kind", "for", "size", "license", "check"), *map(_facts, entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_row(rows[0], widths)]
    columns = max(shutil.get_terminal_size().columns, 2 * len(_INDENT))
    for entry, row in zip(entries, rows[1:], strict=True):
        about = f"{entry.about}. License: {entry.terms}" if entry.terms else entry.about
        below = textwrap.wrap(visible(about), columns - len(_INDENT), break_on_hyphens=False)
        lines += [_row(row, widths), *(_INDENT + line for line in below)]
    return "\n".join(lines)


def _facts(entry: Entry) -> tuple[str, ...]:
    check = "sha256" if entry.sha256 else "md5" if entry.md5 else UNKNOWN
    size, covers = entry.size or UNKNOWN, entry.coverage or UNKNOWN
    facts = (entry.name, entry.kind, covers, size, entry.license, check)
    return tuple(visible(fact) for fact in facts)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


class Arrival:
    """Shows the progress of a download: size so far, speed and time left.

    Attributes:
        text: The size so far, such as "1.3 MB of 2.0 MB"; empty until bytes arrive.
    """

    def __init__(self, name: str, bar: Progress | None) -> None:
        self.text = ""
        self._name, self._bar = name, bar
        self._task: TaskID | None = None
        self._begun: tuple[float, int] | None = None
        self._last = time.monotonic()

    def update(self, done: int, total: int | None) -> None:
        """Show that `done` bytes of the file are on disk."""
        of = "" if total is None else f" of {readable(total)}"
        self.text = f"{readable(done)}{of}"
        if self._bar is None:
            self._line(done, total)
        elif self._task is None:  # bytes of an earlier run do not count for the speed
            self._task = self._bar.add_task(self._name, completed=done, total=total)
        else:
            self._bar.update(self._task, completed=done, total=total)

    def _line(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if self._begun is None:
            self._begun = (now, done)
        if now - self._last < SECONDS_BETWEEN_LINES or done <= self._begun[1]:
            return
        self._last = now
        rate = (done - self._begun[1]) / max(now - self._begun[0], 1e-9)
        left = "" if total is None else f", about {(total - done) / rate:.0f} s left"
        note(f"{self._name}: {self.text}, {readable(int(rate))}/s{left}")


@contextmanager
def arriving(name: str) -> Iterator[tuple[Arrival, Callable[[str], None]]]:
    """Yield the display of a download, and a function that prints a message above it."""
    from rich.console import Console

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield Arrival(name, None), note
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )

    def above(message: str) -> None:
        bar.console.print(visible(message), markup=False, highlight=False, soft_wrap=True)

    with Progress(*columns, console=console, transient=True) as bar:
        yield Arrival(name, bar), above
