"""What users see: results on stdout; notes and progress bars on stderr."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bilex.errors import visible
from bilex.progress import WorkBar, work_bar
from bilex.progress.bar import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from bilex.values import Progress as ProgressCallback

_WINDOWS = sys.platform == "win32"

_bars: list[WorkBar] = []
"""The bars on screen now."""


def use_utf8() -> None:
    """Read and write UTF-8 in pipes and files; Windows would use a code page of 256 characters.

    Bytes that are not UTF-8 come out as they came in. A terminal and the log on stderr keep their
    own encoding, and show what it does not have as an escape.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):  # tests and notebooks have others
            continue
        if stream is sys.stderr or stream.isatty():
            stream.reconfigure(errors="backslashreplace")
        elif stream is sys.stdin:
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
        else:
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


def note(message: str) -> None:
    """Print a line that is not a result to stderr, above the progress bar if there is one."""
    sys.stdout.flush()  # where both go to one file, they stay in order
    if _bars:
        _bars[-1].note(message)
    else:
        sys.stderr.write(f"{visible(message)}\n")


def result(text: str, *, end: str = "\n") -> None:
    """Write a result to stdout: unchanged to a file or pipe, with visible escapes to a terminal."""
    shown = visible(text) if sys.stdout.isatty() else text
    sys.stdout.write(shown + end)


def json_result(value: object) -> None:
    """Write a result to stdout as one line of JSON."""
    result(json.dumps(value, ensure_ascii=False))


def command_line(*arguments: object) -> str:
    """Return a `bilex` command to show to the user, quoted for the shell of this system."""
    return quoted("bilex", *arguments)


def quoted(*arguments: object) -> str:
    """Return arguments as they are typed in the shell of this system."""
    texts = [str(argument) for argument in arguments]
    if _WINDOWS:
        from subprocess import list2cmdline

        return list2cmdline(texts)
    from shlex import join

    return join(texts)


@contextmanager
def whole(title: str) -> Iterator[WorkBar]:
    """Show one progress bar for the whole command; notes appear above it."""
    with work_bar(title) as bar:
        _bars.append(bar)
        try:
            yield bar
        finally:
            _bars.remove(bar)


@contextmanager
def progress(task: str, unit: str) -> Iterator[ProgressCallback]:
    """Yield a callback `(done, total)` shown as a bar on a terminal, as lines in a log."""
    from rich.console import Console

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield _LogLines(task, unit)
        return
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        shown = bar.add_task(task, total=None, rate="")
        start = time.monotonic()

        def update(done: int, total: int) -> None:
            rate = done / max(time.monotonic() - start, 1e-9)
            bar.update(shown, completed=done, total=total, rate=f"{_short(rate)} {unit}/s")

        yield update


class _LogLines:
    """Writes a line of progress at most every few seconds."""

    def __init__(self, task: str, unit: str) -> None:
        self._task, self._unit = task, unit
        self._start = self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_LINES or not done:
            return
        self._last = now
        left = (now - self._start) * (total - done) / done
        note(f"{self._task}: {done:,} of {total:,} {self._unit}, about {left:.0f} s left")


def _short(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return f"{number:.0f}"
