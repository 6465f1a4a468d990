"""A review project as one file, to be kept elsewhere or moved to another database.

The file is JSON Lines, compressed if its name ends in .gz: a line about the project, a line for
each word, a line for each event in the order of arrival, and a last line with the numbers of both,
so that a file that was cut off is noticed.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from bilex.errors import BilexError, ReviewFileError
from bilex.review import appending, listing
from bilex.review.alchemy import sa
from bilex.review.bulk import insert_rows
from bilex.review.log import read_event
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.rows import read_candidates, unlisted_row
from bilex.review.tables import events, words
from bilex.storage.files import writing

FORMAT = "bilex-review"
VERSION = 1

_STREAMED = {"yield_per": 2_000}
_CURE = "expected a complete backup by bilex; use another backup"


class Saved(NamedTuple):
    """How much a backup holds."""

    words: int
    events: int


def write_backup(connection: sa.Connection, path: Path) -> Saved:
    """Write the project, its words and all events as they are in one transaction."""
    project = listing.read_project(connection)
    numbers = [0, 0]
    with writing(path) as temporary, _open(temporary, "wb", path) as file:
        _write_line(file, {FORMAT: VERSION, "project": asdict(project)})
        listed = sa.select(words.c.word, words.c.rank, words.c.candidates)
        listed = listed.where(words.c.listed).order_by(words.c.rank, words.c.word)
        for word, rank, candidates in connection.execute(listed, execution_options=_STREAMED):
            row = {"word": word, "rank": rank, "candidates": read_candidates(candidates)}
            _write_line(file, row)
            numbers[0] += 1
        bodies = sa.select(events.c.body).order_by(events.c.arrival)
        for body in connection.scalars(bodies, execution_options=_STREAMED):
            file.write(f"{body}\n".encode())
            numbers[1] += 1
        saved = Saved(*numbers)
        _write_line(file, saved._asdict())
        file.flush()
        os.fsync(file.fileno())
    return saved


def read_backup(connection: sa.Connection, path: Path) -> Saved:
    """Fill empty tables with what a backup holds.

    Raises:
        ReviewFileError: If the file is not a complete backup.
    """
    reader = _Reader(path)
    try:
        listing.insert_project(connection, reader.project, reader.words())
        insert_rows(connection, events, appending.EVENT_COLUMNS, reader.events())
        reader.check_end()
    finally:
        reader.close()
    _add_unlisted(connection, reader.project)
    appending.rebuild(connection)
    return Saved(*reader.counted)


def _add_unlisted(connection: sa.Connection, project: Project) -> None:
    known = sa.exists().where(words.c.word == events.c.word)
    names = connection.scalars(sa.select(events.c.word).where(~known).distinct()).all()
    if names:
        connection.execute(words.insert(), [unlisted_row(project, name) for name in sorted(names)])


class _Reader:
    """Reads a backup line by line and counts what it finds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0  # of the current line
        self.counted = [0, 0]
        self._file = _open(path, "rb", path)
        self._line: bytes = b""
        try:
            self._advance()
            self.project = self._read_header()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def words(self) -> Iterator[ReviewWord]:
        while self._advance() and self._starts('{"word":'):
            values = self._values()
            try:
                word = ReviewWord(
                    word=values["word"],
                    rank=values["rank"],
                    candidates=tuple(Candidate(*each) for each in values["candidates"]),
                )
            except (KeyError, TypeError, BilexError) as problem:
                raise self._error(f"not a word: {problem}") from problem
            self.counted[0] += 1
            yield word

    def events(self) -> Iterator[list[Any]]:
        while self._line and not self._starts('{"words":'):
            event = read_event(self._line, self.path, self.number)
            self.counted[1] += 1
            yield list(appending.event_row(event).values())
            self._advance()

    def check_end(self) -> None:
        expected = self._values() if self._line else {}
        found = Saved(*self.counted)._asdict()
        if expected != found:
            raise self._error(f"ends after {found['words']} words and {found['events']} events")

    def _read_header(self) -> Project:
        values = self._values()
        if values.get(FORMAT) != VERSION:
            raise self._error(f"does not start with {FORMAT} version {VERSION}")
        try:
            return Project(**values["project"])
        except (KeyError, TypeError) as problem:
            raise self._error(f"no project: {problem}") from problem

    def _advance(self) -> bool:
        self.number += 1
        try:
            self._line = self._file.readline()
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise self._error(str(problem)) from problem
        return bool(self._line)

    def _starts(self, text: str) -> bool:
        return self._line.startswith(text.encode())

    def _values(self) -> dict[str, Any]:
        try:
            values = json.loads(self._line)
        except ValueError as problem:
            raise self._error(f"not JSON: {problem}") from problem
        if not isinstance(values, dict):
            raise self._error("not a JSON object")
        return values

    def _error(self, problem: str) -> ReviewFileError:
        return ReviewFileError(self.path, f"{problem}; {_CURE}", line=self.number)


def _open(path: Path, mode: str, named: Path) -> IO[bytes]:
    """Open a file; `named` has the name that says whether it is compressed."""
    opened = gzip.open if named.suffix == ".gz" else open
    return cast(IO[bytes], opened(path, mode))


def _write_line(file: IO[bytes], values: dict[str, Any]) -> None:
    file.write(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
