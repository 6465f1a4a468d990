"""Accounts of a team, what each may do, and invitations by which people get one."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from bilex.errors import AccountError
from bilex.review.alchemy import sa
from bilex.review.bulk import upsert
from bilex.review.database import Database
from bilex.review.events import time_text
from bilex.review.passwords import Passwords, check_password
from bilex.review.roles import ROLES, Role
from bilex.review.security_log import Actor, record
from bilex.review.tables import accounts, identities, invitations, sessions, tallies

INVITATION_SECONDS = 7 * 24 * 3600.0
LONGEST_NAME = 60  # characters

_NAME = re.compile(r"\w(?:[\w .@'’+-]*\w)?")
_RESERVED = {"bilex"}
_GONE = "the invitation is not valid: it was used, withdrawn or has expired; ask for a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person who may sign in.

    Attributes:
        name: Stored in events. Names that differ in upper and lower case only are the same.
        role: What the person may do.
        created: When, in the form of `Event.at`.
        has_password: False if the person signs in elsewhere.
    """

    name: str
    role: Role
    created: str = ""
    has_password: bool = True

    def may(self, role: Role) -> bool:
        """Return whether this account may do what a role may."""
        return ROLES.index(self.role) >= ROLES.index(role)


class Invitation(NamedTuple):
    """An invitation that was not used yet; `mark` names it, but does not allow to use it."""

    mark: str
    role: Role
    actor: str
    created: str
    until: str


class Identity(NamedTuple):
    """A person as another service knows them."""

    issuer: str
    subject: str


class Accounts:
    """The accounts and invitations in a review database. Thread-safe."""

    def __init__(
        self,
        database: Database,
        *,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.database = database
        self.passwords = passwords or Passwords()
        self._clock = clock

    # Reading

    def all(self) -> list[Account]:
        """Return all accounts by name."""
        query = sa.select(accounts).where(accounts.c.active).order_by(accounts.c.folded)
        return self.database.read(
            lambda connection: [account_of(row) for row in connection.execute(query)]
        )

    def get(self, name: str) -> Account | None:
        """Return an account; None if there is none of this name."""
        return self.database.read(lambda connection: _find(connection, name))

    def of_identity(self, identity: Identity) -> Account | None:
        """Return the account of a person who has signed in elsewhere."""
        query = (
            sa.select(accounts)
            .join(identities, identities.c.account == accounts.c.folded)
            .where(identities.c.issuer == identity.issuer)
            .where(identities.c.subject == identity.subject, accounts.c.active)
        )
        row = self.database.read(lambda connection: connection.execute(query).first())
        return None if row is None else account_of(row)

    def checked(self, name: str, password: str) -> Account | None:
        """Return the account of this name and password; None if there is none.

        Takes as long for a wrong name as for a wrong password.
        """
        query = sa.select(accounts).where(accounts.c.folded == folded_name(name), accounts.c.active)
        row = self.database.read(lambda connection: connection.execute(query).first())
        stored = "" if row is None else row.password
        if not self.passwords.matches(stored, password) or row is None:
            return None
        if self.passwords.is_outdated(stored):
            better = {"password": self.passwords.hash(password)}
            change = accounts.update().where(
                accounts.c.folded == row.folded, accounts.c.password == stored
            )
            self.database.write(lambda connection: connection.execute(change.values(better)))
        return account_of(row)

    # Changes

    def add(self, name: str, role: Role, password: str, *, actor: Actor) -> Account:
        """Make an account, or give back one that was removed.

        Raises:
            AccountError: If the name is taken or not possible, or the password is weak.
        """
        clean = checked_name(name)
        check_password(password, clean)
        stored = self.passwords.hash(password)

        def work(connection: sa.Connection) -> Account:
            return _insert(connection, clean, role, stored, actor=actor, is_known=True)

        return self.database.write(work)

    def set_role(self, name: str, role: Role, *, actor: Actor) -> None:
        """Change what an account may do; the person has to sign in again.

        Raises:
            AccountError: If there is no such account, or no other admin.
        """
        check_role(role)

        def work(connection: sa.Connection) -> None:
            account = _locked(connection, name)
            if account.role == role:
                return
            _keep_an_admin(connection, account, "give the role to another account first")
            _update(connection, name, role=role)
            _end_sessions(connection, name)
            detail = f"{account.role} → {role}"
            record(connection, "role-changed", actor, account=account.name, detail=detail)

        self.database.write(work)

    def set_password(self, name: str, password: str, *, actor: Actor) -> None:
        """Change a password; the person has to sign in again, everywhere.

        Raises:
            AccountError: If there is no such account, or the password is weak.
        """
        check_password(password, name)
        stored = self.passwords.hash(password)

        def work(connection: sa.Connection) -> None:
            account = _locked(connection, name)
            _update(connection, name, password=stored)
            _end_sessions(connection, name)
            record(connection, "password-changed", actor, account=account.name)

        self.database.write(work)

    def remove(self, name: str, *, actor: Actor) -> None:
        """Remove an account; the decisions of the person stay, and nobody else gets the name.

        Raises:
            AccountError: If there is no such account, or no other admin.
        """

        def work(connection: sa.Connection) -> None:
            account = _locked(connection, name)
            _keep_an_admin(connection, account, "make another account an admin first")
            _update(connection, name, active=False, password="")
            _end_sessions(connection, name)
            key = folded_name(name)
            connection.execute(identities.delete().where(identities.c.account == key))
            record(connection, "account-removed", actor, account=account.name)

        self.database.write(work)

    # Invitations

    def invite(
        self, role: Role, *, actor: Actor, seconds: float = INVITATION_SECONDS
    ) -> tuple[str, Invitation]:
        """Make an invitation; return its secret, which is stored nowhere, and what is stored."""
        check_role(role)
        token, now = secrets.token_urlsafe(32), self._clock()
        row = {
            "token": token_hash(token),
            "role": role,
            "actor": actor.name,
            "created": _text(now),
            "until": now + seconds,
        }

        def work(connection: sa.Connection) -> None:
            connection.execute(invitations.insert().values(row))
            record(connection, "invitation-made", actor, detail=role)

        self.database.write(work)
        return token, _invitation(row)

    def invitation(self, token: str) -> Invitation | None:
        """Return an invitation that is still valid."""
        query = self._valid().where(invitations.c.token == token_hash(token))
        row = self.database.read(lambda connection: connection.execute(query).first())
        return None if row is None else _invitation(row._mapping)

    def open_invitations(self) -> list[Invitation]:
        """Return all valid invitations, the oldest one first."""
        query = self._valid().order_by(invitations.c.until, invitations.c.token)
        rows = self.database.read(lambda connection: connection.execute(query).all())
        return [_invitation(row._mapping) for row in rows]

    def withdraw(self, mark: str, *, actor: Actor) -> None:
        """Make an invitation invalid.

        Raises:
            AccountError: If it is no longer valid.
        """

        def work(connection: sa.Connection) -> None:
            gone = invitations.delete().where(invitations.c.token == mark.replace("\x00", ""))
            role = connection.scalar(gone.returning(invitations.c.role))
            if role is None:
                raise AccountError(_GONE)
            record(connection, "invitation-withdrawn", actor, detail=role)

        self.database.write(work)

    def accept(self, token: str, name: str, password: str, *, address: str = "") -> Account:
        """Make an account with an invitation, which is used up then.

        Raises:
            AccountError: If the invitation is not valid, the name is taken or the password weak.
        """
        if self.invitation(token) is None:  # before the work of hashing
            raise AccountError(_GONE)
        clean = checked_name(name)
        check_password(password, clean)
        stored = self.passwords.hash(password)

        def work(connection: sa.Connection) -> Account:
            role = self._used(connection, token, Actor(clean, address))
            actor = Actor(clean, address)
            return _insert(connection, clean, role, stored, actor=actor, is_known=False)

        return self.database.write(work)

    def add_identity(
        self,
        identity: Identity,
        name: str,
        *,
        token: str = "",
        role: Role | None = None,
        address: str = "",
    ) -> Account:
        """Make an account for a person who signs in elsewhere.

        Args:
            identity: The person.
            name: The wanted name; a number is added if it is taken.
            token: An invitation, which is used up.
            role: Of the account, if there is no invitation.
            address: The network address.

        Raises:
            AccountError: If there is neither a valid invitation nor a role.
        """
        clean = _possible_name(name)

        def work(connection: sa.Connection) -> Account:
            free = next(each for each in _numbered(clean) if not _is_taken(connection, each))
            actor = Actor(free, address)
            given = self._used(connection, token, actor) if token else role
            if given is None:
                raise AccountError("you have no account here: ask an admin for an invitation")
            made = _insert(connection, free, given, "", actor=actor, is_known=False)
            row = {**identity._asdict(), "account": folded_name(free)}
            connection.execute(identities.insert().values(row))
            return made

        return self.database.write(work)

    def _valid(self) -> sa.Select[tuple[object, ...]]:
        return sa.select(invitations).where(invitations.c.until > self._clock())

    def _used(self, connection: sa.Connection, token: str, actor: Actor) -> Role:
        used = invitations.delete().where(invitations.c.token == token_hash(token))
        used = used.where(invitations.c.until > self._clock())
        role: Role | None = connection.scalar(used.returning(invitations.c.role))
        if role is None:
            raise AccountError(_GONE)
        record(connection, "invitation-used", actor, account=actor.name, detail=role)
        return role


def folded_name(name: str) -> str:
    """Return by what accounts are told apart: not by case, width or the form of accents."""
    # What no database stores is in no name, but may be typed into a form.
    storable = name.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
    return unicodedata.normalize("NFKC", " ".join(storable.split())).casefold()


def checked_name(name: str) -> str:
    """Return a name as it is stored.

    Raises:
        AccountError: If an account cannot have this name.
    """
    clean = unicodedata.normalize("NFC", " ".join(name.split()))
    if not _NAME.fullmatch(clean) or len(clean) > LONGEST_NAME:
        raise AccountError(
            f"the name {clean[:LONGEST_NAME]!r} is not possible: expected at most {LONGEST_NAME} "
            "letters, digits, spaces and . - _ @ ' +"
        )
    if folded_name(clean) in _RESERVED:
        raise AccountError(f"the name {clean!r} is reserved: choose another one")
    return clean


def check_role(role: str) -> Role:
    """Return a role.

    Raises:
        AccountError: If there is no such role.
    """
    for known in ROLES:
        if role == known:
            return known
    raise AccountError(f"there is no role {role[:40]!r}: expected {', '.join(ROLES)}")


def token_hash(token: str) -> str:
    """Return what is stored of a random secret. It cannot be guessed, so a fast hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _possible_name(name: str) -> str:
    """Return the name that another service gave, without what a name here cannot have."""
    kept = re.sub(r"[^\w .@'’+-]", " ", unicodedata.normalize("NFC", name))
    kept = " ".join(kept.split())[: LONGEST_NAME - 4].strip(" .@'’+-")
    return kept if _NAME.fullmatch(kept) and folded_name(kept) not in _RESERVED else "reviewer"


def _numbered(name: str) -> list[str]:
    return [name, *(f"{name} {number}" for number in range(2, 1000))]


def _is_taken(connection: sa.Connection, name: str) -> bool:
    """Return whether a name has an account, or has decided without one."""
    key = folded_name(name)
    query = sa.select(accounts.c.name).where(accounts.c.folded == key)
    if connection.scalar(query) is not None:
        return True
    reviewers = connection.scalars(sa.select(tallies.c.reviewer).distinct())
    return key in map(folded_name, reviewers)


def _insert(
    connection: sa.Connection,
    name: str,
    role: Role,
    stored: str,
    *,
    actor: Actor,
    is_known: bool,
) -> Account:
    """Add an account.

    Args:
        connection: In a transaction that writes.
        name: A checked name.
        role: What it may do.
        stored: The hash of the password.
        actor: Who adds it.
        is_known: Whether the actor knows that a name in the events, or of an account that was
            removed, belongs to this person.
    """
    check_role(role)
    taken = AccountError(f"the name {name!r} is taken: choose another one")
    if not is_known and _is_taken(connection, name):
        raise taken
    row = {
        "folded": folded_name(name),
        "name": name,
        "role": role,
        "password": stored,
        "active": True,
        "created": _text(time.time()),
    }
    insert = upsert(connection, accounts).values(row)
    again = {key: insert.excluded[key] for key in ("role", "password", "active", "created")}
    added = insert.on_conflict_do_update(
        index_elements=["folded"], set_=again, where=sa.not_(accounts.c.active)
    )
    made = connection.execute(added.returning(*accounts.c)).first()
    if made is None:
        raise taken
    record(connection, "account-added", actor, account=made.name, detail=role)
    return account_of(made)


def _find(connection: sa.Connection, name: str) -> Account | None:
    query = sa.select(accounts).where(accounts.c.folded == folded_name(name), accounts.c.active)
    row = connection.execute(query).first()
    return None if row is None else account_of(row)


def _locked(connection: sa.Connection, name: str) -> Account:
    """Return an account; nobody else changes it, or the number of admins, in the meantime."""
    key = folded_name(name)
    query = (
        sa.select(accounts)
        .where(accounts.c.active, (accounts.c.folded == key) | (accounts.c.role == "admin"))
        .order_by(accounts.c.folded)
        .with_for_update()
    )
    for row in connection.execute(query):
        if row.folded == key:
            return account_of(row)
    raise AccountError(f"there is no account {name!r}: `bilex review users list` shows all")


def _keep_an_admin(connection: sa.Connection, account: Account, cure: str) -> None:
    if account.role != "admin":
        return
    admins = sa.select(sa.func.count()).where(accounts.c.active, accounts.c.role == "admin")
    if connection.scalar(admins) == 1:
        raise AccountError(f"{account.name} is the only admin: {cure}")


def _update(connection: sa.Connection, name: str, **values: object) -> None:
    change = accounts.update().where(accounts.c.folded == folded_name(name))
    connection.execute(change.values(values))


def _end_sessions(connection: sa.Connection, name: str) -> None:
    connection.execute(sessions.delete().where(sessions.c.account == folded_name(name)))


def account_of(row: Any) -> Account:  # noqa: ANN401 - rows have no type of their own
    """Return the account of a row of the table."""
    return Account(
        name=row.name, role=row.role, created=row.created, has_password=bool(row.password)
    )


def _invitation(row: Mapping[Any, Any]) -> Invitation:
    return Invitation(row["token"], row["role"], row["actor"], row["created"], _text(row["until"]))


def _text(seconds: float) -> str:
    return time_text(datetime.fromtimestamp(seconds, UTC))
