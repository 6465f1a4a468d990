"""SQLAlchemy, or an error that says how to install it."""

from __future__ import annotations

from bilex.registry import import_extra

import_extra("sqlalchemy", "a review database needs", extra="review")
import_extra("alembic", "a review database needs", extra="review")

import sqlalchemy as sa  # noqa: E402 - after the error

__all__ = ["sa"]
