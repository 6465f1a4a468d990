"""The project, its words and the events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("title", _TEXT, nullable=False),
        sa.Column("source_language", _TEXT, nullable=False),
        sa.Column("target_language", _TEXT, nullable=False),
        sa.Column("model", _TEXT, nullable=False),
        sa.Column("seed", _TEXT, nullable=False),
    )
    op.create_table(
        "words",
        sa.Column("word", _TEXT, primary_key=True),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("shuffle", sa.BigInteger, nullable=False),
        sa.Column("folded", _TEXT, nullable=False),
        sa.Column("candidates", _TEXT, nullable=False),
        sa.Column("state", _TEXT, nullable=False),
        sa.Column("opinions", sa.Integer, nullable=False),
        sa.Column("deciders", _TEXT, nullable=False),
        sa.Column("changed", _TEXT, nullable=False),
        sa.Column("entry", _TEXT, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("arrival", _SERIAL, primary_key=True, autoincrement=True),
        sa.Column("id", _TEXT, nullable=False, unique=True),
        sa.Column("word", _TEXT, nullable=False),
        sa.Column("reviewer", _TEXT, nullable=False),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("batch", _TEXT, nullable=False),
        sa.Column("body", _TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("events_of_word", "events", ["word"])
    op.create_index("events_of_reviewer", "events", ["reviewer", "at", "id"])
    batch = sa.text("batch <> ''")
    op.create_index(
        "events_of_batch", "events", ["batch"], sqlite_where=batch, postgresql_where=batch
    )
    op.create_index("words_by_rank", "words", ["rank", "word", "folded"])
    op.create_index("words_by_state", "words", ["state", "rank", "word", "folded"])


def downgrade() -> None:
    """Remove the tables, with all decisions."""
    for table in ("events", "words", "project"):
        op.drop_table(table)
