"""What concerns the security of a team; the database refuses to change or delete entries."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, NamedTuple, get_args

from bilex.review.alchemy import sa
from bilex.review.events import time_text
from bilex.review.tables import security_log

SecurityKind = Literal[
    "login",
    "login-failed",
    "login-limited",
    "logout",
    "account-added",
    "account-removed",
    "role-changed",
    "password-changed",
    "invitation-made",
    "invitation-used",
    "invitation-withdrawn",
    "backup",
    "restore",
]
SECURITY_KINDS: tuple[SecurityKind, ...] = get_args(SecurityKind)

COMMAND_LINE = "(command line)"
"""The actor of commands; no account can have this name."""

_LONGEST = 200  # characters of an address or a detail


class Actor(NamedTuple):
    """Who does something, and from which network address; empty if not known."""

    name: str = ""
    address: str = ""


class SecurityEvent(NamedTuple):
    """One entry of the log.

    Attributes:
        number: Grows with each entry.
        at: When, in the form of `Event.at`.
        kind: What happened.
        account: The account it is about; empty if none, or if nobody has the name that was typed.
        actor: Who did it; empty if nobody was signed in.
        address: The network address.
        detail: What else is known, such as the new role.
    """

    number: int
    at: str
    kind: SecurityKind
    account: str
    actor: str
    address: str
    detail: str


def record(
    connection: sa.Connection,
    kind: SecurityKind,
    actor: Actor,
    *,
    account: str = "",
    detail: str = "",
) -> None:
    """Add an entry in the transaction of what it is about."""
    connection.execute(
        security_log.insert().values(
            at=time_text(datetime.now(UTC)),
            kind=kind,
            account=account,
            actor=actor.name,
            address=actor.address[:_LONGEST],
            detail=detail[:_LONGEST],
        )
    )


def read_log(
    connection: sa.Connection, *, before: int | None = None, limit: int = 100
) -> list[SecurityEvent]:
    """Return entries, the latest one first.

    Args:
        connection: To the database.
        before: Only entries with a smaller number.
        limit: The largest number of entries.
    """
    query = sa.select(security_log).order_by(security_log.c.number.desc()).limit(limit)
    if before is not None:
        query = query.where(security_log.c.number < before)
    return [SecurityEvent(*row) for row in connection.execute(query)]
