"""What tests of a team use: accounts with fast passwords, and a browser for each role."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from argon2 import PasswordHasher

from bilex.review.accounts import Account, Accounts
from bilex.review.events import Event, Shown
from bilex.review.passwords import Passwords
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.roles import ROLES, Role
from bilex.review.security_log import Actor, SecurityEvent, read_log

if TYPE_CHECKING:
    import httpx2
    from fastapi import FastAPI
    from fastapi.routing import APIRoute
    from fastapi.testclient import TestClient

    from bilex.review.store import ReviewStore
    from bilex.service.team.access import TeamAccess

PASSWORD = "correct horse battery"  # noqa: S105
OTHER_PASSWORD = "staple, quite another one"  # noqa: S105
ADMIN = Actor("root", "192.0.2.1")
NAMES: dict[Role, str] = {role: f"the {role}" for role in ROLES}
"""An account of each role."""
MARKUP = "<script>alert(1)</script>"

_FORM = re.compile(r'<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


class FastPasswords(Passwords):
    """Passwords that take no time to hash."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self._places = threading.BoundedSemaphore(4)
        self._nobodys = self.hash("nobody")


class Clock:
    """A clock that a test sets forward."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def project_words(number: int = 30) -> tuple[Project, list[ReviewWord]]:
    """Return a project; the first word is markup."""
    words = [
        ReviewWord(
            word=MARKUP if rank == 0 else f"word{rank}",
            rank=rank,
            candidates=(
                Candidate(f"palabra{rank}", 0.97 if rank % 2 else 0.6),
                Candidate(f"<b>otra{rank}</b>", 0.01, "seed"),
            ),
        )
        for rank in range(number)
    ]
    return Project(source_language="en", target_language="es", model="m1", seed=7), words


def decision(reviewer: str, word: str, kind: str = "accept", **values: Any) -> Event:  # noqa: ANN401
    """Return a decision on a word."""
    rank = word.removeprefix("word")
    given: dict[str, Any] = {
        "id": f"{reviewer}-{word}-{kind}",
        "at": "2026-01-31T12:00:00.000000Z",
        "targets": (f"palabra{rank}",) if kind == "accept" else (),
        "shown": (Shown(f"palabra{rank}", 0.9),),
    }
    return Event(reviewer=reviewer, word=word, kind=kind, **given | values)  # type: ignore[arg-type]


def add_accounts(accounts: Accounts) -> dict[Role, Account]:
    """Make an account of each role."""
    return {role: accounts.add(NAMES[role], role, PASSWORD, actor=ADMIN) for role in ROLES}


def log_of(store: ReviewStore) -> list[SecurityEvent]:
    """Return the security log, the oldest entry first."""
    return store.database.read(lambda connection: read_log(connection))[::-1]


def api_routes(app: FastAPI) -> Iterator[APIRoute]:
    """Yield all routes of an app, also those of routers inside routers."""
    from fastapi.routing import APIRoute

    def within(routes: Any) -> Iterator[APIRoute]:  # noqa: ANN401
        for route in routes:
            inner = getattr(route, "original_router", None)
            if inner is not None:
                yield from within(inner.routes)
            elif isinstance(route, APIRoute):
                yield route

    return within(app.routes)


def parameters(dependant: Any) -> set[str]:  # noqa: ANN401 - a private type of FastAPI
    """Return the names of all parameters and form fields that a route reads."""
    own = {each.alias for each in (*dependant.query_params, *dependant.body_params)}
    return own.union(*map(parameters, dependant.dependencies))


@dataclass(frozen=True)
class Visitor:
    """A browser; `role` is None for somebody without a session."""

    client: TestClient
    access: TeamAccess
    role: Role | None = None

    @property
    def name(self) -> str:
        return "" if self.role is None else NAMES[self.role]

    @property
    def csrf(self) -> str:
        """Return the token that forms of this browser's pages have."""
        from bilex.service.team.access import _derived

        return _derived(self.client.cookies.get(self.access.cookie) or "", "form")

    def get(self, address: str, *, part: bool = False, **values: str) -> httpx2.Response:
        headers = {"HX-Request": "true"} if part else None
        return self.client.get(address, params=values or None, headers=headers)

    def post(self, address: str, **values: Any) -> httpx2.Response:  # noqa: ANN401
        """Send a form with the token of this browser, unless another one is given."""
        fields = {"csrf": self.csrf} | values
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        content = urlencode(fields, doseq=True, errors="surrogatepass")
        return self.client.post(address, content=content, headers=headers)

    def form(self, address: str, action: str) -> dict[str, str]:
        """Return the hidden fields of the first form of a page that is sent to an address."""
        return form_fields(self.get(address).text, action)

    def sign_in(self, name: str, password: str = PASSWORD, **values: str) -> httpx2.Response:
        """Open the sign-in page, fill in the form and send it."""
        fields = self.form("/login", "/login") | {"name": name, "password": password} | values
        return self.post("/login", **fields)


def form_fields(html: str, action: str) -> dict[str, str]:
    """Return the hidden fields of the first form that is sent to an address."""
    inside = next(body for where, body in _FORM.findall(html) if where == action)
    return {name: unescape(value) for name, value in _FIELD.findall(inside)}
