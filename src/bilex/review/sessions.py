"""Signing in and out: sessions that end, and limits on guessing passwords."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from bilex.errors import AccountError
from bilex.review.accounts import Account, Accounts, account_of, folded_name, token_hash
from bilex.review.alchemy import sa
from bilex.review.attempts import AttemptLimit, DatabaseCounters
from bilex.review.security_log import Actor, SecurityKind, record
from bilex.review.tables import accounts, sessions

_TOKEN_LENGTH = 43  # of 32 random bytes
_SEEN_SECONDS = 60.0  # requests within this time are not written down


class TooManyAttemptsError(AccountError):
    """Somebody has tried to sign in too often; `seconds` is how long to wait."""

    def __init__(self, seconds: int) -> None:
        minutes = -(-seconds // 60)
        super().__init__(
            f"too many attempts: try again in {minutes} minute{'s' if minutes > 1 else ''}"
        )
        self.seconds = seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How long sessions last, and how often a sign-in may fail.

    Attributes:
        seconds: After this time, a person has to sign in again.
        idle_seconds: The same after this time without a request.
        per_account: Failures allowed for one name, whether it has an account or not.
        per_address: Failures allowed from one network address.
    """

    seconds: float = 7 * 24 * 3600.0
    idle_seconds: float = 12 * 3600.0
    per_account: str = "10 per 15 minutes"
    per_address: str = "50 per 15 minutes"


class Sessions:
    """The sessions in a review database. Thread-safe.

    A session is a random token in the browser's cookie; the database holds its hash.
    """

    def __init__(
        self,
        accounts: Accounts,
        settings: SessionSettings | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._accounts, self._database, self._clock = accounts, accounts.database, clock
        self._settings = settings or SessionSettings()
        self._counters = DatabaseCounters(self._database, clock)
        per_account, per_address = self._settings.per_account, self._settings.per_address
        self._by_account = AttemptLimit("login account", per_account, self._counters)
        self._by_address = AttemptLimit("login address", per_address, self._counters)

    def sign_in(self, name: str, password: str, *, address: str, old: str = "") -> str:
        """Check a password and return the token of a new session.

        Args:
            name: Of the account.
            password: As it was typed.
            address: Where the request comes from.
            old: The token that the browser had before; its session ends.

        Raises:
            TooManyAttemptsError: If name or address have failed too often.
            AccountError: If name or password are wrong; the message does not say which.
        """
        account = self.check_password(name, password, address=address)
        return self.start(account, address=address, old=old)

    def check_password(self, name: str, password: str, *, address: str) -> Account:
        """Return the account of a name and password, and count failures.

        Raises:
            TooManyAttemptsError: If name or address have failed too often.
            AccountError: If name or password are wrong.
        """
        counted = token_hash(folded_name(name))  # a password that was typed as a name is not kept
        self._count(self._by_address, address, name, address)
        self._count(self._by_account, counted, name, address)
        account = self._accounts.checked(name, password)
        if account is None:
            self._log_failure("login-failed", name, address)
            raise AccountError("name or password is wrong")
        self._by_account.forget(counted)
        self._by_address.give_back(address)
        return account

    def start(self, account: Account, *, address: str, old: str = "", detail: str = "") -> str:
        """Start a session and return its token, which is always a new one."""
        token, now = secrets.token_urlsafe(32), self._clock()
        key = folded_name(account.name)

        def work(connection: sa.Connection) -> None:
            is_active = sa.select(accounts.c.active).where(accounts.c.folded == key)
            if not connection.scalar(is_active.with_for_update()):
                raise AccountError("name or password is wrong")
            ended = (sessions.c.created <= now - self._settings.seconds) | (
                sessions.c.seen <= now - self._settings.idle_seconds
            )
            if old:
                ended |= sessions.c.token == token_hash(old)
            connection.execute(sessions.delete().where(ended))
            row = {"token": token_hash(token), "account": key, "created": now, "seen": now}
            connection.execute(sessions.insert().values(row))
            actor = Actor(account.name, address)
            record(connection, "login", actor, account=account.name, detail=detail)

        self._database.write(work)
        self._counters.forget_old()
        return token

    def account(self, token: str) -> Account | None:
        """Return whose session it is; None if it has ended or never was."""
        if len(token) != _TOKEN_LENGTH:
            return None
        now, kept = self._clock(), token_hash(token)
        query = (
            sa.select(accounts, sessions.c.seen)
            .join(sessions, sessions.c.account == accounts.c.folded)
            .where(sessions.c.token == kept, accounts.c.active)
            .where(sessions.c.created > now - self._settings.seconds)
            .where(sessions.c.seen > now - self._settings.idle_seconds)
        )
        row = self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            return None
        if now - row.seen > _SEEN_SECONDS:
            seen = sessions.update().where(sessions.c.token == kept).values(seen=now)
            self._database.write(lambda connection: connection.execute(seen), durable=False)
        return account_of(row)

    def sign_out(self, token: str, *, address: str) -> None:
        """End a session."""
        kept = token_hash(token)

        def work(connection: sa.Connection) -> None:
            query = sa.select(accounts.c.name).join(
                sessions, sessions.c.account == accounts.c.folded
            )
            name = connection.scalar(query.where(sessions.c.token == kept))
            gone = connection.execute(sessions.delete().where(sessions.c.token == kept))
            if gone.rowcount and name is not None:
                record(connection, "logout", Actor(name, address), account=name)

        self._database.write(work)

    def _count(self, limit: AttemptLimit, who: str, name: str, address: str) -> None:
        if limit.allows(who):
            return
        if limit.is_first_refused(who):
            self._log_failure("login-limited", name, address)
        raise TooManyAttemptsError(limit.seconds_left(who, self._clock()))

    def _log_failure(self, kind: SecurityKind, name: str, address: str) -> None:
        known = self._accounts.get(name)
        about = "" if known is None else known.name
        actor = Actor("", address)
        self._database.write(lambda connection: record(connection, kind, actor, account=about))
