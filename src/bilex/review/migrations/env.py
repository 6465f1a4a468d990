"""What Alembic runs to migrate a review database; `bilex.review.schema` calls it."""

from __future__ import annotations

from alembic import context

from bilex.review.tables import metadata


def run() -> None:
    """Migrate the database of the connection that the caller has opened."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        transactional_ddl=True,
    )
    context.run_migrations()  # in the caller's transaction


run()
