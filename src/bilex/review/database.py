"""Connections to a review database: SQLite or PostgreSQL, durable, and short to wait for.

A transaction that has ended is on the disk: SQLite runs in WAL mode with `synchronous = FULL`, and
PostgreSQL with `synchronous_commit`, whatever the server's default is. So what was acknowledged
survives `kill -9` of the program and of the database server, and a loss of power, as far as the
disk keeps what it has confirmed. Leases are not worth a write to the disk; they may be lost.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    ProgrammingError,
)

from bilex.errors import BilexError, StoreError
from bilex.registry import import_extra
from bilex.review.alchemy import sa

T = TypeVar("T")

logger = logging.getLogger(__name__)

_BUSY_SECONDS = 30
_PATIENCE_SECONDS = 20  # how long to wait for a server that restarts
_PAUSE_SECONDS = 0.1
_OLDEST_SQLITE = (3, 35, 0)  # for RETURNING
_FIRST_PATIENCE_SECONDS = 3  # … for one that has never answered: the address may be wrong
_LASTING = ("authentication", "does not exist", "pg_hba.conf", "translate host name")
_SERIALIZATION = ("40001", "40P01")  # PostgreSQL: try the transaction again


class TryAgain(Exception):
    """The transaction must be rolled back and run again."""


class Database:
    """A database that runs transactions, again where that helps.

    Thread-safe. Writers of one process wait in a queue, so that SQLite's own waiting, which polls,
    is only for other processes.
    """

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if not self.is_sqlite:
            import_extra("psycopg", "a review database on PostgreSQL needs", extra="postgres")
        self.engine = self._make_engine()
        self._writers = threading.RLock()
        self._answered = False

    @property
    def path(self) -> Path | None:
        """Return the file of an SQLite database; None for a server."""
        return Path(str(self.url.database)) if self.is_sqlite else None

    @property
    def name(self) -> str:
        """Return the address for messages, without a password."""
        return str(self.path) if self.is_sqlite else self.url.render_as_string(hide_password=True)

    def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` on one consistent state of the database."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        return self._patiently(lambda: self._run(work, options))

    def write(self, work: Callable[[sa.Connection], T], *, durable: bool = True) -> T:
        """Run `work` in one transaction; it must be able to run again from the start.

        Args:
            work: What to do; it may run more than once if a transaction fails.
            durable: Whether the result must survive a loss of power.
        """
        options = {"bilex_write": True, "bilex_durable": durable}
        if not self.is_sqlite:
            return self._patiently(lambda: self._run(work, options))
        with self._writers:
            return self._patiently(lambda: self._run(work, options))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _run(self, work: Callable[[sa.Connection], T], options: dict[str, Any]) -> T:
        with self.engine.connect().execution_options(**options) as connection, connection.begin():
            if not self.is_sqlite and not options.get("bilex_durable", True):
                connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            return work(connection)

    def _patiently(self, attempt: Callable[[], T]) -> T:
        patience = _PATIENCE_SECONDS if self._answered else _FIRST_PATIENCE_SECONDS
        deadline = time.monotonic() + patience
        while True:
            try:
                found = attempt()
                self._answered = True
                return found
            except TryAgain as problem:
                logger.warning("%s: %s; trying again", self.name, problem)
            except DatabaseError as problem:
                if isinstance(problem, IntegrityError | ProgrammingError | DataError):
                    raise  # a mistake of the program, not of the database
                if not _is_passing(problem) or time.monotonic() > deadline:
                    raise _explained(problem, self.name) from problem
                logger.warning("%s: %s; trying again", self.name, _first_line(problem))
            time.sleep(_PAUSE_SECONDS)

    def _make_engine(self) -> sa.Engine:
        if not self.is_sqlite:
            # No pre-ping: a transaction that finds its connection closed runs again on a new one.
            engine = sa.create_engine(self.url, pool_size=10, max_overflow=20, pool_timeout=60)
            sa.event.listen(engine, "connect", _set_up_postgres)
            return engine
        engine = sa.create_engine(
            self.url,
            connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
            pool_size=10,
            max_overflow=-1,
        )
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise StoreError(
                f"Python has SQLite {sqlite3.sqlite_version}, expected 3.35 or later: use a newer "
                "Python"
            )
        return engine


def parse_url(url: str) -> sa.URL:
    """Return where a database is: a path, `sqlite:///path` or `postgresql://…`.

    Raises:
        StoreError: If it is something else.
    """
    if "://" not in url and url.strip():
        return sa.URL.create("sqlite+pysqlite", database=url)
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        parsed = sa.URL.create("unknown")
    backend = parsed.get_backend_name() if parsed.drivername != "unknown" else ""
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed.set(drivername="sqlite+pysqlite")
    shown = url.partition("://")[0] + "://…" if "@" in url else url
    raise StoreError(
        f"{shown} is not a review database: expected the path of a file, sqlite:///PATH, or "
        "postgresql://USER@HOST/NAME"
    )


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for pragma in (
        "journal_mode = WAL",  # readers do not wait for the writer
        "synchronous = FULL",  # a commit waits for the disk; NORMAL would lose it with the power
        "fullfsync = ON",  # on macOS, for the disk's own cache, too
        "foreign_keys = ON",
        "cache_size = -65536",  # KiB
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("bilex_write"):
        connection.exec_driver_sql("BEGIN")
        return
    durable = options.get("bilex_durable", True)
    connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")  # a later lock could fail as "locked" at once


def _set_up_postgres(connection: Any, _record: object) -> None:  # noqa: ANN401 - psycopg is optional
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        encoding = cursor.fetchone()[0]
        cursor.execute("SHOW synchronous_commit")
        if cursor.fetchone()[0] == "off":
            cursor.execute("SET synchronous_commit = on")
    connection.commit()
    if encoding != "UTF8":
        raise StoreError(
            f"the PostgreSQL database has the encoding {encoding}, which cannot hold all words: "
            "make a new one with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0"
        )


def _is_passing(problem: DBAPIError) -> bool:
    """Return whether the same transaction may succeed when it is tried again."""
    if problem.connection_invalidated:
        return True
    state = getattr(problem.orig, "sqlstate", None)
    if state is not None:  # of PostgreSQL
        return state in _SERIALIZATION or state.startswith(("08", "57P"))
    text = str(problem.orig)
    return "connection failed" in text and not any(sign in text for sign in _LASTING)


def _explained(problem: DBAPIError, name: str) -> BilexError:
    text = _first_line(problem)
    if "locked" in text:
        cure = "another program is writing: close it and try again"
    elif "unable to open" in text:
        cure = "check the path, and that you may write to its folder"
    elif "not a database" in text or "malformed" in text:
        cure = "the file is not a review database, or damaged: restore a backup"
    elif "full" in text:
        cure = "free some space"
    else:
        cure = "check the address and that the database runs"
    return StoreError(f"{name}: {text}; {cure}")


def _first_line(problem: DBAPIError) -> str:
    return (str(problem.orig).strip().splitlines() or [type(problem.orig).__name__])[0]
