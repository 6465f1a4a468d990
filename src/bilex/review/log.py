"""Logs of events as files: JSON Lines, one event a line; two copies are merged by union."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bilex.errors import EventError, ReviewFileError
from bilex.review.events import Event, distinct
from bilex.storage.files import writing


def merge(first: Iterable[Event], second: Iterable[Event]) -> list[Event]:
    """Return the events of both logs, each once, in the order of (at, id).

    The result does not depend on which log is first, and merging again changes nothing.
    """
    return distinct([*first, *second])


def write_log(events: Iterable[Event], path: Path) -> int:
    """Write events in the order of (at, id), each once; return how many.

    The same events give the same bytes.
    """
    ordered = distinct(events)
    with writing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{event.to_json()}\n" for event in ordered)
    return len(ordered)


def read_log(path: Path) -> Iterator[Event]:
    """Yield the events of a file.

    Raises:
        ReviewFileError: If a line is not an event; the message has the file and the line.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield read_event(line, path, number)


def read_event(line: bytes, path: Path, number: int) -> Event:
    """Return the event of one line of a file.

    Raises:
        ReviewFileError: If it is not one.
    """
    try:
        return Event.from_json(line.decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise ReviewFileError(
            path, f"not UTF-8: {problem}; expected a log written by bilex", line=number
        ) from problem
    except EventError as problem:
        raise ReviewFileError(path, f"{problem}; correct or remove the line", line=number) from None
