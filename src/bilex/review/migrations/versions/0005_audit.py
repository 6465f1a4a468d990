"""What the start page and batches count: audited words, and how probable first candidates are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_READ = 2_000  # words at once
_AUDITED = ["shuffle", "word", "audited", "audited_model", "audited_chance"]
_INDEXES = {
    "words_unaudited": (["shuffle", "word"], "listed AND audited = ''"),
    "words_audited": (_AUDITED, "listed AND audited <> ''"),
    "words_by_chance": (["rank", "word", "chance", "shuffle"], "state = 'open'"),
}


def upgrade() -> None:
    """Add the columns and fill them."""
    op.add_column("words", sa.Column("chance", sa.Double))
    op.add_column("words", sa.Column("audited", _TEXT, nullable=False, server_default=""))
    op.add_column("words", sa.Column("audited_model", _TEXT, nullable=False, server_default=""))
    op.add_column("words", sa.Column("audited_chance", sa.Double))
    connection = op.get_bind()
    _fill(connection, ["chance"], _chances(connection))
    _fill(connection, ["audited", "audited_model", "audited_chance"], _verdicts(connection))
    for name, (columns, condition) in _INDEXES.items():
        where = sa.text(condition)
        op.create_index(name, "words", columns, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Remove them; no decision is lost."""
    for name in _INDEXES:
        op.drop_index(name, "words")
    for name in ("audited_chance", "audited_model", "audited", "chance"):
        op.drop_column("words", name)


def _chances(connection: sa.Connection) -> Iterator[list[Any]]:
    for word, text in _rows(connection, "SELECT word, candidates FROM words"):
        candidates = json.loads(text)
        if candidates and candidates[0][1] is not None:
            yield [word, candidates[0][1]]


def _verdicts(connection: sa.Connection) -> Iterator[list[Any]]:
    """Yield what `bilex.review.audit.verdict` says, without making events of all decisions."""
    query = "SELECT word, state, entry FROM words WHERE state <> 'open'"
    for word, state, entry in _rows(connection, query):
        values = json.loads(entry)
        decisions = (*values.get("earlier", ()), *values.get("decisions", ()))
        alone = (each for each in decisions if each.get("reason") not in ("batch", "import"))
        first = next(alone, None)
        if first is None:
            if state == "skipped":
                yield [word, "skipped", "", None]
            continue
        model, shown = first.get("model", ""), first.get("shown")
        if not shown or state == "disputed":
            yield [word, "disputed" if shown else "blank", model, None]
            continue
        target, chance = shown[0]
        yield [word, "right" if target in values.get("targets", ()) else "wrong", model, chance]


def _rows(connection: sa.Connection, query: str) -> Iterator[Any]:
    return iter(connection.execute(sa.text(query), execution_options={"yield_per": _READ}))


def _fill(connection: sa.Connection, names: Sequence[str], rows: Iterable[list[Any]]) -> None:
    """Store the values of words.

    They go into a table of their own first: one statement for all words is much faster on
    PostgreSQL than one for each.
    """
    kinds = {"chance": "DOUBLE PRECISION", "audited_chance": "DOUBLE PRECISION"}
    columns = ", ".join(f"{name} {kinds.get(name, 'TEXT')}" for name in names)
    connection.execute(sa.text(f"CREATE TEMPORARY TABLE filled (word TEXT, {columns})"))
    filled = sa.table("filled", sa.column("word"), *map(sa.column, names))
    given = [dict(zip(("word", *names), row, strict=True)) for row in rows]
    for start in range(0, len(given), _READ):
        connection.execute(filled.insert(), given[start : start + _READ])
    setting = ", ".join(f"{name} = filled.{name}" for name in names)
    connection.execute(
        sa.text(f"UPDATE words SET {setting} FROM filled WHERE filled.word = words.word")  # noqa: S608
    )
    connection.execute(sa.text("DROP TABLE filled"))
