"""Statements that SQLite and PostgreSQL say differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy.dialects import postgresql, sqlite

from bilex.review.alchemy import sa
from bilex.review.tables import words

T = TypeVar("T")

_CHUNK = 500  # values in one statement
_ARRIVALS = 0x62696C6578  # an advisory lock of PostgreSQL: "bilex"


def chunks(values: Iterable[T], size: int = _CHUNK) -> Iterator[list[T]]:
    """Yield the values in lists of at most `size`."""
    iterator = iter(values)
    while chunk := list(islice(iterator, size)):
        yield chunk


def is_sqlite(connection: sa.Connection) -> bool:
    """Return whether the database is SQLite, where a writer is alone anyway."""
    return connection.dialect.name == "sqlite"


def one_or_many(rows: list[dict[str, Any]]) -> list[dict[str, Any]] | dict[str, Any]:
    """Return the parameters of a statement; a single one is faster by itself."""
    return rows[0] if len(rows) == 1 else rows


def upsert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT of the database's own kind, which knows ON CONFLICT."""
    return sqlite.insert(table) if is_sqlite(connection) else postgresql.insert(table)


def position(connection: sa.Connection, text: sa.ColumnElement[str], part: str) -> Any:  # noqa: ANN401
    """Return where `part` is in a text, from 1; 0 if it is not."""
    return (sa.func.instr if is_sqlite(connection) else sa.func.strpos)(text, part)


def insert_rows(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert many rows fast; they must be new."""
    columns = ", ".join(names)
    raw: Any = connection.connection
    cursor = raw.cursor()
    if is_sqlite(connection):
        places = ", ".join("?" * len(names))
        # Names of our own tables and columns, not of users.
        cursor.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)  # noqa: S608
    else:
        with cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    cursor.close()


def lock_words(connection: sa.Connection, names: Sequence[str]) -> dict[str, str | None]:
    """Lock the rows of words until the transaction ends; return their states.

    The state of a word that is not listed is None; words that do not exist are not returned.

    Args:
        connection: In a transaction that writes.
        names: Sorted, so that two writers never wait for each other in a circle.
    """
    found: dict[str, str | None] = {}
    for chunk in chunks(names):
        query = sa.select(words.c.word, words.c.state, words.c.listed)
        query = query.where(words.c.word.in_(chunk)).order_by(words.c.word).with_for_update()
        for word, state, listed in connection.execute(query):
            found[word] = state if listed else None
    return found


def lock_arrivals(connection: sa.Connection) -> None:
    """Let one writer after the other number its events, so that arrivals become visible in order.

    Otherwise a reader who has seen event 7 could miss event 6, which is committed later.
    """
    if not is_sqlite(connection):
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ARRIVALS)))


def lock_all_words(connection: sa.Connection) -> None:
    """Keep everyone else from writing decisions until the transaction ends; reading goes on."""
    if not is_sqlite(connection):
        connection.execute(sa.text("LOCK TABLE words IN EXCLUSIVE MODE"))


def values_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the values of rows in the order of `names`."""
    return ([row[name] for name in names] for row in rows)


def words_by(connection: sa.Connection, index: str) -> sa.TextClause:
    """Return the table `words` for a FROM, to be read by an index; SQLite prefers another one."""
    return sa.text(f"words INDEXED BY {index}" if is_sqlite(connection) else "words")


def analyze(connection: sa.Connection) -> None:
    """Let PostgreSQL count what was inserted, without waiting until it does so by itself."""
    if not is_sqlite(connection):
        connection.execute(sa.text("ANALYZE words, events, priorities, tallies"))
