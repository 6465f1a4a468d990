"""Which word to ask a reviewer, and for how long nobody else is asked the same."""

from __future__ import annotations

import time
from typing import Any

from bilex.review.alchemy import sa
from bilex.review.bulk import is_sqlite, position, upsert, words_by
from bilex.review.rows import SEPARATOR
from bilex.review.tables import leases, priorities

_TRIES = 100
_SHUFFLED = "words.shuffle, words.word"
_DECIDERS = sa.literal_column("words.deciders", sa.Text)


def lease(
    connection: sa.Connection, query: sa.Select[Any], reviewer: str, seconds: float
) -> str | None:
    """Return the first word of a query that nobody else holds, and hold it."""
    for _ in range(_TRIES):
        now = time.time()
        held = (
            sa.select(leases.c.word)
            .where(leases.c.word == query.selected_columns[0])
            .where(leases.c.reviewer != reviewer, leases.c.until > now)
        )
        word = connection.scalar(query.where(~held.exists()).limit(1))
        if word is None:
            return None
        insert = upsert(connection, leases).values(
            word=word, reviewer=reviewer, until=now + seconds
        )
        taken = insert.on_conflict_do_update(
            index_elements=["word"],
            set_={"reviewer": insert.excluded.reviewer, "until": insert.excluded.until},
            where=(leases.c.reviewer == reviewer) | (leases.c.until <= now),
        ).returning(leases.c.word)
        if connection.scalar(taken) is None:
            continue
        # Between the two statements, another reviewer may have decided it and let it go.
        if is_sqlite(connection) or _still(connection, query, word):
            return str(word)
        release(connection, word, reviewer)
    return None  # others were faster each time


def _still(connection: sa.Connection, query: sa.Select[Any], word: str) -> bool:
    """Return whether a query gives a word now; each statement sees what others have committed."""
    same = query.where(query.selected_columns[0] == word)
    return connection.scalar(same.limit(1)) is not None


def release(connection: sa.Connection, word: str, reviewer: str) -> None:
    """Let others be asked a word that a reviewer holds."""
    connection.execute(leases.delete().where(leases.c.word == word, leases.c.reviewer == reviewer))


# Conditions are written as in the indexes, so that the database recognizes them.
def by_priority(policy: str) -> sa.Select[Any]:
    """Return waiting words, those of highest priority first, then the most frequent ones."""
    return (
        sa.select(priorities.c.word)
        .where(priorities.c.policy == policy, sa.text("priorities.waiting"))
        .order_by(priorities.c.priority.desc(), priorities.c.rank, priorities.c.word)
    )


def for_audit(connection: sa.Connection) -> sa.Select[Any]:
    """Return open words in the project's random order."""
    query = _words_by(connection, "words_for_audit", _SHUFFLED)
    return query.where(sa.text("words.listed AND words.state = 'open'"))


def disputed(connection: sa.Connection, reviewer: str) -> sa.Select[Any]:
    """Return words that others disagree on, in random order."""
    query = _words_by(connection, "words_disputed", _SHUFFLED)
    own = position(connection, _DECIDERS, _between(reviewer))
    return query.where(sa.text("words.state = 'disputed'"), own == 0)


def once_decided(connection: sa.Connection, reviewer: str) -> sa.Select[Any]:
    """Return words that exactly one other reviewer has decided, the most doubtful first."""
    order = f"words.doubt DESC, {_SHUFFLED}"
    query = _words_by(connection, "words_with_one_opinion", order)
    return query.where(
        sa.text("words.opinions = 1"), _DECIDERS.is_distinct_from(_between(reviewer))
    )


def compared(connection: sa.Connection) -> sa.Select[Any]:
    """Return words that several reviewers have decided, in random order."""
    query = _words_by(connection, "words_with_opinions", _SHUFFLED)
    return query.where(sa.text("words.opinions > 1"))


def certain(connection: sa.Connection, least: float, from_order: int) -> sa.Select[Any]:
    """Return open words whose first candidate has at least a probability, by frequency.

    Args:
        connection: To the database.
        least: The smallest probability.
        from_order: The smallest place in the random order.
    """
    query = _words_by(connection, "words_by_chance", "words.rank, words.word")
    return query.where(
        sa.text("words.state = 'open'"),
        sa.literal_column("words.chance", sa.Double) >= least,
        sa.literal_column("words.shuffle", sa.BigInteger) >= from_order,
    )


def skipped(connection: sa.Connection) -> sa.Select[Any]:
    """Return skipped words, those first that were skipped longest ago."""
    query = _words_by(connection, "words_skipped", "words.changed, words.word")
    return query.where(sa.text("words.state = 'skipped'"))


def _words_by(connection: sa.Connection, index: str, order: str) -> sa.Select[Any]:
    """Return all words in the order of an index."""
    word = sa.literal_column("words.word", sa.Text)
    return sa.select(word).select_from(words_by(connection, index)).order_by(sa.text(order))


def _between(reviewer: str) -> str:
    return f"{SEPARATOR}{reviewer}{SEPARATOR}"
