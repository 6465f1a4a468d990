"""Accounts, invitations, sessions and the security log of a team."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TABLES = ("security_log", "attempts", "sessions", "invitations", "identities", "accounts")
_REFUSAL = "the security log is only added to"


def upgrade() -> None:
    """Make the tables; rows of the security log can be neither changed nor deleted."""
    op.create_table(
        "accounts",
        sa.Column("folded", _TEXT, primary_key=True),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("role", _TEXT, nullable=False),
        sa.Column("password", _TEXT, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created", _TEXT, nullable=False),
    )
    op.create_table(
        "identities",
        sa.Column("issuer", _TEXT, primary_key=True),
        sa.Column("subject", _TEXT, primary_key=True),
        sa.Column("account", _TEXT, nullable=False),
    )
    op.create_table(
        "invitations",
        sa.Column("token", _TEXT, primary_key=True),
        sa.Column("role", _TEXT, nullable=False),
        sa.Column("actor", _TEXT, nullable=False),
        sa.Column("created", _TEXT, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("token", _TEXT, primary_key=True),
        sa.Column("account", _TEXT, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
    )
    op.create_table(
        "attempts",
        sa.Column("name", _TEXT, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )
    op.create_table(
        "security_log",
        sa.Column("number", _SERIAL, primary_key=True, autoincrement=True),
        sa.Column("at", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("account", _TEXT, nullable=False),
        sa.Column("actor", _TEXT, nullable=False),
        sa.Column("address", _TEXT, nullable=False),
        sa.Column("detail", _TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("sessions_of_account", "sessions", ["account"])
    op.create_index("identities_of_account", "identities", ["account"])
    _keep_the_log()


def downgrade() -> None:
    """Remove the tables, with all accounts; no decision is lost."""
    for table in _TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION keep_security_log")


def _keep_the_log() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER security_log_{change.lower()} BEFORE {change} ON security_log "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION keep_security_log() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER security_log_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON security_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION keep_security_log()"
    )
