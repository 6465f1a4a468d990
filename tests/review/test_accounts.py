"""Accounts, invitations, sessions, limits and the security log, on each database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from bilex.errors import AccountError
from bilex.review import tables
from bilex.review.accounts import Account, Accounts, Identity, checked_name
from bilex.review.passwords import Passwords, check_password
from bilex.review.security_log import Actor
from bilex.review.sessions import Sessions, SessionSettings, TooManyAttemptsError
from bilex.review.store import ReviewStore
from review_data import event
from team import ADMIN, OTHER_PASSWORD, PASSWORD, Clock, FastPasswords, log_of

HOME = "203.0.113.7"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(store: ReviewStore, clock: Clock) -> Accounts:
    made = Accounts(store.database, passwords=FastPasswords(), clock=clock)
    made.add("Ann", "admin", PASSWORD, actor=ADMIN)
    return made


@pytest.fixture
def sessions(accounts: Accounts, clock: Clock) -> Sessions:
    return Sessions(accounts, clock=clock)


def contents(store: ReviewStore) -> str:
    """Return all that the database holds, as text."""

    def work(connection: sa.Connection) -> str:
        found = [
            connection.execute(sa.select(table)).all() for table in tables.metadata.tables.values()
        ]
        return repr(found)

    return store.database.read(work)


def test_names_are_told_apart_without_case_width_and_forms_of_accents(accounts: Accounts) -> None:
    made = accounts.add("  Zoé  Ünal ", "reader", PASSWORD, actor=ADMIN)

    assert made.name == "Zoé Ünal"
    for same in ("Zoé Ünal", "zoé ünal", "Zoe\u0301 U\u0308nal", "ｚoé Ünal"):
        assert accounts.get(same) == made
        with pytest.raises(AccountError, match="is taken"):
            accounts.add(same, "reader", PASSWORD, actor=ADMIN)
    assert [each.name for each in accounts.all()] == ["Ann", "Zoé Ünal"]


@pytest.mark.parametrize(
    "name",
    ["", " ", "<b>", "a\x00b", "(command line)", "a\u202eb", "x" * 61, "Bilex", "-"],
)
def test_names_that_could_deceive_are_refused(name: str) -> None:
    with pytest.raises(AccountError, match="the name"):
        checked_name(name)


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "5 characters, expected 12"),
        ("x" * 201, "201 characters"),
        ("abababababababab", "repeats"),
        ("annabellannabell", "mostly the name"),
    ],
)
def test_weak_passwords_are_refused(password: str, why: str) -> None:
    with pytest.raises(AccountError, match=why):
        check_password(password, "Annabell")


def test_passwords_are_hashed_with_the_parameters_of_owasp() -> None:
    passwords = Passwords()
    stored = passwords.hash(PASSWORD)

    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert stored != passwords.hash(PASSWORD)
    assert passwords.matches(stored, PASSWORD)
    assert not passwords.matches(stored, PASSWORD + "!")
    assert not passwords.matches("", PASSWORD)
    assert not passwords.matches("damaged", PASSWORD)
    assert not passwords.is_outdated(stored)


def test_the_same_password_may_be_typed_as_other_code_points() -> None:
    passwords = FastPasswords()

    assert passwords.matches(passwords.hash("caf\u00e9 au lait, svp"), "cafe\u0301 au lait, svp")


def test_a_password_is_checked_for_unknown_names_too(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str] = []

    def verify(_: object, stored: str, password: bytes) -> bool:
        verified.append(stored)
        return True

    monkeypatch.setattr(type(accounts.passwords._hasher), "verify", verify)

    assert accounts.checked("nobody", PASSWORD) is None
    assert accounts.checked("ann", PASSWORD) is not None
    assert len(verified) == 2
    assert verified[0].split("$")[:4] == verified[1].split("$")[:4]  # the same work


def test_a_hash_of_other_parameters_is_renewed(accounts: Accounts, store: ReviewStore) -> None:
    stronger = Accounts(store.database)
    assert stronger.checked("ann", PASSWORD) == accounts.get("ann")

    assert "m=19456,t=2,p=1" in contents(store)
    assert stronger.checked("ann", PASSWORD) is not None


def test_the_only_admin_stays(accounts: Accounts) -> None:
    with pytest.raises(AccountError, match="the only admin"):
        accounts.remove("ann", actor=ADMIN)
    with pytest.raises(AccountError, match="the only admin"):
        accounts.set_role("ann", "editor", actor=ADMIN)
    accounts.add("Bob", "admin", PASSWORD, actor=ADMIN)
    accounts.remove("ann", actor=ADMIN)
    assert [each.name for each in accounts.all()] == ["Bob"]


def test_two_admins_who_demote_each_other_leave_one(accounts: Accounts) -> None:
    accounts.add("Bob", "admin", PASSWORD, actor=ADMIN)

    def demote(name: str) -> bool:
        try:
            accounts.set_role(name, "reader", actor=ADMIN)
        except AccountError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(demote, ["Ann", "Bob"])) == [False, True]
    assert sum(each.role == "admin" for each in accounts.all()) == 1


def test_changes_of_an_account_end_its_sessions(accounts: Accounts, sessions: Sessions) -> None:
    accounts.add("Bob", "reviewer", PASSWORD, actor=ADMIN)
    changes: list[Callable[[], None]] = [
        lambda: accounts.set_role("bob", "editor", actor=ADMIN),
        lambda: accounts.set_password("bob", OTHER_PASSWORD, actor=ADMIN),
        lambda: accounts.remove("bob", actor=ADMIN),
    ]
    for change in changes:
        other = sessions.sign_in("Ann", PASSWORD, address=HOME)
        token = sessions.start(Account(name="Bob", role="reviewer"), address=HOME)
        assert sessions.account(token) is not None
        change()
        assert sessions.account(token) is None
        assert sessions.account(other) is not None
    with pytest.raises(AccountError):
        sessions.sign_in("bob", OTHER_PASSWORD, address=HOME)
    with pytest.raises(AccountError):
        sessions.start(Account(name="Bob", role="reviewer"), address=HOME)


def test_nobody_else_gets_the_name_of_a_removed_account(accounts: Accounts) -> None:
    accounts.add("Bob", "admin", PASSWORD, actor=ADMIN)
    accounts.remove("Bob", actor=ADMIN)
    token, _ = accounts.invite("reader", actor=ADMIN)

    with pytest.raises(AccountError, match="is taken"):
        accounts.accept(token, "bob", PASSWORD)
    assert accounts.invitation(token) is not None  # not used up
    again = accounts.add("Bob", "reader", OTHER_PASSWORD, actor=ADMIN)
    assert (again.role, accounts.checked("bob", PASSWORD)) == ("reader", None)


def test_an_invited_person_cannot_take_a_name_that_has_decided(
    accounts: Accounts, store: ReviewStore
) -> None:
    store.add([event(1, "the", reviewer="me")])
    token, _ = accounts.invite("reviewer", actor=ADMIN)

    with pytest.raises(AccountError, match="is taken"):
        accounts.accept(token, "Me", PASSWORD)
    assert accounts.add("me", "reviewer", PASSWORD, actor=ADMIN).name == "me"  # an admin knows


def test_an_invitation_is_used_once_whoever_is_faster(accounts: Accounts) -> None:
    token, made = accounts.invite("editor", actor=ADMIN)
    assert accounts.open_invitations() == [made]

    def accept(number: int) -> str:
        try:
            return accounts.accept(token, f"guest {number}", PASSWORD, address=HOME).role
        except AccountError as problem:
            return str(problem)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(accept, range(6)))
    assert answers.count("editor") == 1
    assert sum("not valid" in answer for answer in answers) == 5
    assert len(accounts.all()) == 2
    assert not accounts.open_invitations()


def test_invitations_expire_and_can_be_withdrawn(accounts: Accounts, clock: Clock) -> None:
    token, _ = accounts.invite("reader", actor=ADMIN, seconds=60)
    other, made = accounts.invite("reader", actor=ADMIN, seconds=3600)
    clock.now += 61
    assert accounts.invitation(token) is None
    with pytest.raises(AccountError, match="expired"):
        accounts.accept(token, "guest", PASSWORD)

    accounts.withdraw(made.mark, actor=ADMIN)
    with pytest.raises(AccountError, match="withdrawn"):
        accounts.accept(other, "guest", PASSWORD)
    for mark in (made.mark, other, "\x00", "' OR 1=1 --"):
        with pytest.raises(AccountError, match="not valid"):
            accounts.withdraw(mark, actor=ADMIN)


def test_secrets_are_not_in_the_database(
    accounts: Accounts, sessions: Sessions, store: ReviewStore
) -> None:
    invitation, _ = accounts.invite("reader", actor=ADMIN)
    token = sessions.sign_in("ann", PASSWORD, address=HOME)
    with pytest.raises(AccountError):
        sessions.sign_in(PASSWORD, "ann", address=HOME)  # in the wrong field

    held = contents(store)
    assert "Ann" in held
    for secret in (invitation, token, PASSWORD):
        assert secret not in held


def test_a_session_ends_after_its_time_and_when_idle(
    accounts: Accounts, store: ReviewStore, clock: Clock
) -> None:
    sessions = Sessions(accounts, SessionSettings(seconds=1000, idle_seconds=300), clock=clock)
    idle = sessions.sign_in("ann", PASSWORD, address=HOME)
    busy = sessions.sign_in("ann", PASSWORD, address=HOME)
    worker = Sessions(
        Accounts(store.database, passwords=accounts.passwords),
        SessionSettings(seconds=1000, idle_seconds=300),
        clock=clock,
    )
    for _ in range(4):
        clock.now += 240
        assert worker.account(busy) is not None  # of another server on the same database
    assert sessions.account(idle) is None
    clock.now += 60
    assert sessions.account(busy) is None
    sessions.sign_in("ann", PASSWORD, address=HOME)
    assert contents(store).count("Ann") > 0
    rows = store.database.read(
        lambda connection: connection.scalar(
            sa.select(sa.func.count()).select_from(tables.sessions)
        )
    )
    assert rows == 1  # those that have ended are removed


def test_signing_in_makes_a_new_token_and_ends_the_old_one(sessions: Sessions) -> None:
    planted = "A" * 43
    first = sessions.sign_in("ann", PASSWORD, address=HOME, old=planted)
    second = sessions.sign_in("ann", PASSWORD, address=HOME, old=first)

    assert len({planted, first, second}) == 3
    assert sessions.account(planted) is None
    assert sessions.account(first) is None
    assert sessions.account(second) is not None
    sessions.sign_out(second, address=HOME)
    assert sessions.account(second) is None
    for token in ("", "x", "\x00" * 43, "'" * 43):
        assert sessions.account(token) is None


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_a_name_is_limited_on_all_servers_whether_it_exists_or_not(
    accounts: Accounts, clock: Clock, store: ReviewStore, name: str
) -> None:
    servers = [Sessions(accounts, clock=clock) for _ in range(2)]
    for attempt in range(10):
        with pytest.raises(AccountError, match="name or password is wrong"):
            servers[attempt % 2].sign_in(name, "wrong password", address=f"192.0.2.{attempt}")
    for server in servers:
        with pytest.raises(TooManyAttemptsError, match="in 15 minutes") as refused:
            server.sign_in(name.upper(), PASSWORD, address="198.51.100.1")
        assert 890 <= refused.value.seconds <= 900
    kinds = [entry.kind for entry in log_of(store)]
    assert kinds.count("login-failed") == 10
    assert kinds.count("login-limited") == 1  # not one line for each attempt

    clock.now += 901
    if name == "ann":
        assert servers[0].sign_in(name, PASSWORD, address=HOME)


def test_an_address_is_limited_for_all_names(sessions: Sessions) -> None:
    for attempt in range(50):
        with pytest.raises(AccountError, match="wrong"):
            sessions.sign_in(f"name {attempt}", "wrong password", address=HOME)
    with pytest.raises(TooManyAttemptsError):
        sessions.sign_in("ann", PASSWORD, address=HOME)
    assert sessions.sign_in("ann", PASSWORD, address="192.0.2.9")


def test_success_is_not_counted(accounts: Accounts, clock: Clock) -> None:
    few = SessionSettings(per_account="2 per 15 minutes", per_address="4 per 15 minutes")
    sessions = Sessions(accounts, few, clock=clock)
    for _ in range(6):
        sessions.sign_in("ann", PASSWORD, address=HOME)
    for _ in range(3):
        with pytest.raises(AccountError, match="wrong"):
            sessions.sign_in("ann", "wrong password", address=HOME)
        sessions.sign_in("ann", PASSWORD, address=HOME)


def test_concurrent_attempts_are_all_counted(sessions: Sessions) -> None:
    def attempt(_: int) -> str:
        try:
            return sessions.sign_in("ann", "wrong password", address=HOME)
        except AccountError as problem:
            return type(problem).__name__

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(16)))
    assert answers.count("AccountError") == 10
    assert answers.count("TooManyAttemptsError") == 6


def test_the_log_has_who_did_what_from_where(
    accounts: Accounts, sessions: Sessions, store: ReviewStore
) -> None:
    token, _ = accounts.invite("reviewer", actor=ADMIN)
    accounts.accept(token, "Bob", PASSWORD, address=HOME)
    with pytest.raises(AccountError):
        sessions.sign_in("bob", "wrong password", address=HOME)
    with pytest.raises(AccountError):
        sessions.sign_in("stranger", "wrong password", address=HOME)
    session = sessions.sign_in("bob", PASSWORD, address=HOME)
    sessions.sign_out(session, address=HOME)
    sessions.sign_out(session, address=HOME)
    accounts.set_role("bob", "editor", actor=ADMIN)
    accounts.set_role("bob", "editor", actor=ADMIN)
    accounts.set_password("bob", OTHER_PASSWORD, actor=Actor("Bob", HOME))
    accounts.remove("bob", actor=ADMIN)

    found = [tuple(entry[2:]) for entry in log_of(store)]
    assert found == [
        ("account-added", "Ann", "root", "192.0.2.1", "admin"),
        ("invitation-made", "", "root", "192.0.2.1", "reviewer"),
        ("invitation-used", "Bob", "Bob", HOME, "reviewer"),
        ("account-added", "Bob", "Bob", HOME, "reviewer"),
        ("login-failed", "Bob", "", HOME, ""),
        ("login-failed", "", "", HOME, ""),  # what was typed may be a password
        ("login", "Bob", "Bob", HOME, ""),
        ("logout", "Bob", "Bob", HOME, ""),
        ("role-changed", "Bob", "root", "192.0.2.1", "reviewer → editor"),
        ("password-changed", "Bob", "Bob", HOME, ""),
        ("account-removed", "Bob", "root", "192.0.2.1", ""),
    ]


@pytest.mark.parametrize(
    "statement",
    ["UPDATE security_log SET actor = 'x'", "DELETE FROM security_log", "TRUNCATE security_log"],
)
def test_the_database_refuses_to_change_the_log(
    accounts: Accounts, store: ReviewStore, statement: str
) -> None:
    if statement.startswith("TRUNCATE") and store.database.is_sqlite:
        return  # SQLite has no such statement
    with (
        pytest.raises(DBAPIError, match="only added to"),
        store.database.engine.begin() as connection,
    ):
        connection.execute(sa.text(statement))
    assert [entry.kind for entry in log_of(store)] == ["account-added"]


def test_a_person_who_signs_in_elsewhere_gets_an_account_by_invitation(
    accounts: Accounts, sessions: Sessions
) -> None:
    identity = Identity("https://login.example.org", "s-1")
    assert accounts.of_identity(identity) is None
    with pytest.raises(AccountError, match="ask an admin"):
        accounts.add_identity(identity, "Cyd")

    token, _ = accounts.invite("editor", actor=ADMIN)
    made = accounts.add_identity(identity, "Ann<script>", token=token)
    assert (made.name, made.role, made.has_password) == ("Ann script", "editor", False)
    assert accounts.of_identity(identity) == made
    assert accounts.of_identity(Identity("https://evil.example", "s-1")) is None
    second = accounts.add_identity(Identity("i", "s-2"), "Ann", role="reader")
    assert second.name == "Ann 2"
    third = accounts.add_identity(Identity("i", "s-3"), "<>", role="reader")
    assert third.name == "reviewer"
    with pytest.raises(AccountError, match="wrong"):
        sessions.sign_in("Ann 2", "", address=HOME)  # there is no password, not an empty one
    accounts.remove("Ann script", actor=ADMIN)
    assert accounts.of_identity(identity) is None
