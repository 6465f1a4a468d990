"""Bring the tables of a review database to another version."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext

from bilex.errors import StoreError
from bilex.review.alchemy import sa
from bilex.review.database import Database
from bilex.review.tables import HEAD

MIGRATIONS = Path(__file__).parent / "migrations"


def version(connection: sa.Connection) -> str | None:
    """Return the last migration that was run; None if the database has no tables of ours."""
    return MigrationContext.configure(connection).get_current_revision()


def upgrade(connection: sa.Connection, target: str = HEAD) -> None:
    """Run the migrations up to `target` in the transaction of the connection."""
    command.upgrade(_config(connection), target)


def downgrade(connection: sa.Connection, target: str) -> None:
    """Take migrations back, down to `target`; "base" removes all tables, with all decisions."""
    command.downgrade(_config(connection), target)


def migrate(url: str) -> tuple[str, str]:
    """Bring an existing database to this version of bilex, completely or not at all.

    Returns:
        The versions before and after.

    Raises:
        StoreError: If there is no review database, or a newer version of bilex made it.
    """
    with opened(url) as database:
        return database.write(_migrate)


def opened(url: str) -> Database:
    """Open an existing review database of any version.

    Raises:
        StoreError: If there is none.
    """
    database = Database(url)
    try:
        if database.path is not None and not database.path.exists():
            raise StoreError(
                f"{database.path} does not exist: check the path, or create a project there"
            )
        if database.read(version) is None:
            raise StoreError(f"{database.name} is not a review database: create a project")
    except BaseException:
        database.close()
        raise
    return database


def check_version(found: str | None) -> None:
    """Raise an error if a newer version of bilex made the tables."""
    if str(found) > HEAD:
        raise StoreError(
            f"the review database was made by a newer version of bilex (tables {found}, this "
            f"version knows {HEAD}): upgrade bilex"
        )


def _migrate(connection: sa.Connection) -> tuple[str, str]:
    before = str(version(connection))
    check_version(before)
    upgrade(connection)
    return before, HEAD


def _config(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
