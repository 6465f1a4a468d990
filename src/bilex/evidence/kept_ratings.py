"""Ratings of word pairs, kept on disk so that each pair is rated only once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bilex.errors import InputFileError

Pair = tuple[str, str]
"""A word and a candidate."""

_AT_ONCE = 400  # pairs of one question to the database
_WAIT = 60.0  # seconds for another process that writes


class KeptRatings:
    """Ratings in an SQLite file. Several processes may use it; what is added stays.

    A pair without a rating was asked about in vain; it is kept, too, as `None`.

    Args:
        path: The file; made when something is added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, pairs: Sequence[Pair]) -> dict[Pair, float | None]:
        """Return the ratings of those pairs that have been asked about."""
        if not self.path.exists():
            return {}
        found: dict[Pair, float | None] = {}
        with self._open() as database:
            for first in range(0, len(pairs), _AT_ONCE):
                some = pairs[first : first + _AT_ONCE]
                places = ", ".join(["(?, ?)"] * len(some))
                rows = database.execute(
                    "SELECT word, candidate, rating FROM ratings "  # noqa: S608 - only places
                    f"WHERE (word, candidate) IN (VALUES {places})",
                    [text for pair in some for text in pair],
                )
                found.update(((word, candidate), rating) for word, candidate, rating in rows)
        return found

    def add(self, ratings: Mapping[Pair, float | None]) -> None:
        """Keep ratings; they are on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows: Iterable[tuple[str, str, float | None]] = (
            (*pair, rating) for pair, rating in ratings.items()
        )
        with self._open() as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS ratings (word TEXT, candidate TEXT, rating REAL, "
                "PRIMARY KEY (word, candidate)) WITHOUT ROWID"
            )
            database.executemany("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            database = sqlite3.connect(self.path, timeout=_WAIT)
            try:
                yield database
            finally:
                database.close()
        except sqlite3.Error as problem:
            raise InputFileError(
                self.path, f"cannot be used to keep ratings ({problem}): remove it, or check access"
            ) from None
