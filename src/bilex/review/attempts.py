"""How often somebody may try to sign in; counted in the database, so by all servers together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from bilex.registry import import_extra
from bilex.review.alchemy import sa
from bilex.review.bulk import upsert
from bilex.review.database import Database
from bilex.review.tables import attempts

import_extra("limits", "accounts need", extra="review")

from limits import RateLimitItem, parse  # noqa: E402 - after the error
from limits.storage import Storage  # noqa: E402
from limits.strategies import FixedWindowRateLimiter  # noqa: E402

Clock = Callable[[], float]
"""Returns seconds since 1970."""


class DatabaseCounters(Storage):
    """Counters of `limits` in the table `attempts`."""

    STORAGE_SCHEME = None

    def __init__(self, database: Database, clock: Clock = time.time) -> None:
        super().__init__()
        self._database, self._clock = database, clock

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return the errors that `limits` may wrap; none are."""
        return Exception

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to a counter, which starts again after `expiry` seconds; return its new value."""
        now = self._clock()

        def work(connection: sa.Connection) -> int:
            insert = upsert(connection, attempts).values(
                name=key, number=amount, until=now + expiry
            )
            is_over = attempts.c.until <= now
            counted = insert.on_conflict_do_update(
                index_elements=["name"],
                set_={
                    "number": sa.case(
                        (is_over, insert.excluded.number),
                        else_=attempts.c.number + insert.excluded.number,
                    ),
                    "until": sa.case((is_over, insert.excluded.until), else_=attempts.c.until),
                },
            )
            return int(connection.scalar(counted.returning(attempts.c.number)) or 0)

        return self._database.write(work, durable=False)

    def get(self, key: str) -> int:
        """Return the value of a counter."""
        found = self._row(key)
        return 0 if found is None else int(found.number)

    def get_expiry(self, key: str) -> float:
        """Return when a counter starts again, in seconds since 1970."""
        found = self._row(key)
        return self._clock() if found is None else float(found.until)

    def check(self) -> bool:
        """Return whether the database answers."""
        return self.get("") == 0

    def reset(self) -> int:
        """Remove all counters; return how many there were."""
        return self._delete(sa.true())

    def clear(self, key: str) -> None:
        """Remove a counter."""
        self._delete(attempts.c.name == key)

    def forget_old(self) -> None:
        """Remove counters that would start again anyway."""
        self._delete(attempts.c.until <= self._clock())

    def _row(self, key: str) -> Any:  # noqa: ANN401 - a row, if there is one
        query = sa.select(attempts.c.number, attempts.c.until).where(
            attempts.c.name == key, attempts.c.until > self._clock()
        )
        return self._database.read(lambda connection: connection.execute(query).first())

    def _delete(self, which: sa.ColumnElement[bool]) -> int:
        return self._database.write(
            lambda connection: connection.execute(attempts.delete().where(which)).rowcount,
            durable=False,
        )


class AttemptLimit:
    """Counts attempts of one kind and says when there were too many.

    Args:
        kind: What is counted, such as "login address".
        limit: As `limits` reads it, such as "10 per 15 minutes".
        counters: Where numbers are kept.
    """

    def __init__(self, kind: str, limit: str, counters: DatabaseCounters) -> None:
        self._kind, self._counters = kind, counters
        self._item: RateLimitItem = parse(limit)
        self._limiter = FixedWindowRateLimiter(counters)

    def allows(self, who: str) -> bool:
        """Count an attempt; return whether it is allowed."""
        return self._limiter.hit(self._item, self._kind, who)

    def is_first_refused(self, who: str) -> bool:
        """Return whether exactly one attempt was refused; then it is worth a line in a log."""
        return self._counters.get(self._key(who)) == self._item.amount + 1

    def seconds_left(self, who: str, now: float) -> int:
        """Return after how many seconds counting starts again."""
        return max(1, math.ceil(self._counters.get_expiry(self._key(who)) - now))

    def give_back(self, who: str) -> None:
        """Do not count the last attempt after all."""
        self._counters.incr(self._key(who), self._item.get_expiry(), -1)

    def forget(self, who: str) -> None:
        """Start counting again."""
        self._limiter.clear(self._item, self._kind, who)

    def _key(self, who: str) -> str:
        return self._item.key_for(self._kind, who)
