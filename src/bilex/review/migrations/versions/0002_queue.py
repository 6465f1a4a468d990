"""What the queue and the start page need to be fast: priorities, leases, tallies, indexes."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

_WORD_INDEXES = {
    "words_shuffled": (["shuffle", "word"], "listed"),
    "words_for_audit": (["shuffle", "word"], "listed AND state = 'open'"),
    "words_with_one_opinion": (["shuffle", "word", "deciders"], "opinions = 1"),
    "words_with_opinions": (["rank", "word"], "opinions > 1"),
    "words_disputed": (["shuffle", "word"], "state = 'disputed'"),
    "words_skipped": (["changed", "word"], "state = 'skipped'"),
}


def upgrade() -> None:
    """Make the tables and count the events that are there."""
    op.create_table(
        "tallies",
        sa.Column("day", _TEXT, primary_key=True),
        sa.Column("reviewer", _TEXT, primary_key=True),
        sa.Column("kind", _TEXT, primary_key=True),
        sa.Column("reason", _TEXT, primary_key=True),
        sa.Column("events", sa.Integer, nullable=False),
    )
    op.execute(
        "INSERT INTO tallies (day, reviewer, kind, reason, events) "
        "SELECT substr(at, 1, 10), reviewer, kind, reason, count(*) FROM events GROUP BY 1, 2, 3, 4"
    )
    op.create_table(
        "state_counts",
        sa.Column("state", _TEXT, primary_key=True),
        sa.Column("words", sa.Integer, nullable=False),
    )
    op.execute(
        "INSERT INTO state_counts (state, words) "
        "SELECT state, count(*) FROM words WHERE listed GROUP BY state"
    )
    op.create_table(
        "priorities",
        sa.Column("policy", _TEXT, primary_key=True),
        sa.Column("word", _TEXT, primary_key=True),
        sa.Column("priority", sa.Double, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("waiting", sa.Boolean, nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("word", _TEXT, primary_key=True),
        sa.Column("reviewer", _TEXT, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )
    for name, (columns, condition) in _WORD_INDEXES.items():
        _create_index(name, "words", columns, condition)
    waiting: list[str | sa.TextClause] = ["policy", sa.text("priority DESC"), "rank", "word"]
    _create_index("priorities_waiting", "priorities", waiting, "waiting")
    op.create_index("priorities_of_word", "priorities", ["word"])


def downgrade() -> None:
    """Remove them; no decision is lost, and priorities are computed again."""
    for name in _WORD_INDEXES:
        op.drop_index(name, "words")
    for table in ("leases", "priorities", "state_counts", "tallies"):
        op.drop_table(table)


def _create_index(
    name: str, table: str, columns: Sequence[str | sa.TextClause], condition: str
) -> None:
    where = sa.text(condition)
    op.create_index(name, table, list(columns), sqlite_where=where, postgresql_where=where)
