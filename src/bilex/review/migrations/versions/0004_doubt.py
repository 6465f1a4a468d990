"""How doubtful the only decision on a word is, so that second opinions begin with the worst."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from bilex.review.events import Event
from bilex.review.second_opinions import doubt

revision = "0004"
down_revision = "0003"

_ONE, _SEVERAL = "words_with_one_opinion", "words_with_opinions"
_READ = 2_000  # words at once


def upgrade() -> None:
    """Add the column and fill it for words with one decision."""
    _drop_indexes()
    op.add_column("words", sa.Column("doubt", sa.Double, nullable=False, server_default="0"))
    _fill(op.get_bind())
    _create_index(_ONE, [sa.text("doubt DESC"), "shuffle", "word", "deciders"], "opinions = 1")
    _create_index(_SEVERAL, ["shuffle", "word"], "opinions > 1")


def downgrade() -> None:
    """Remove the column; second opinions are asked in random order."""
    _drop_indexes()
    op.drop_column("words", "doubt")
    _create_index(_ONE, ["shuffle", "word", "deciders"], "opinions = 1")
    _create_index(_SEVERAL, ["rank", "word"], "opinions > 1")


def _drop_indexes() -> None:
    for name in (_ONE, _SEVERAL):
        op.drop_index(name, "words")


def _create_index(name: str, columns: list[str | sa.TextClause], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "words", columns, sqlite_where=where, postgresql_where=where)


def _fill(connection: sa.Connection) -> None:
    """Compute the doubt about each only decision.

    The numbers go into a table of their own first: one statement for all words is much faster on
    PostgreSQL than one for each.
    """
    connection.execute(sa.text("CREATE TEMPORARY TABLE doubts (word TEXT, doubt DOUBLE PRECISION)"))
    doubts = sa.table("doubts", sa.column("word"), sa.column("doubt"))
    query = sa.text("SELECT word, entry FROM words WHERE opinions = 1")
    found = connection.execute(query, execution_options={"yield_per": _READ})
    for rows in found.partitions():
        decisions = ((word, json.loads(entry)["decisions"][0]) for word, entry in rows)
        connection.execute(
            doubts.insert(),
            [{"word": word, "doubt": doubt(Event.from_stored(each))} for word, each in decisions],
        )
    connection.execute(
        sa.text("UPDATE words SET doubt = doubts.doubt FROM doubts WHERE doubts.word = words.word")
    )
    connection.execute(sa.text("DROP TABLE doubts"))
