"""Who sent a request, by a session that belongs to an account."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from bilex.errors import AccountError
from bilex.review.accounts import Account, Accounts
from bilex.review.database import Database
from bilex.review.passwords import Passwords
from bilex.review.roles import Role
from bilex.review.security_log import Actor
from bilex.review.sessions import Sessions, SessionSettings
from bilex.service.workbench.access import FormSender, RefusedError, Reviewer, current_reviewer
from bilex.service.workbench.rendering import is_part

if TYPE_CHECKING:
    from bilex.service.team.oidc import OidcProvider

_VISIT_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Reviewer):
    """A person with an account."""

    account: Account
    address: str = ""

    @property
    def role(self) -> Role:
        """Return what the person may do."""
        return self.account.role

    @property
    def actor(self) -> Actor:
        """Return the person for the security log."""
        return Actor(self.account.name, self.address)


class SignInNeededError(RefusedError):
    """A request without a session; `target` is the page to show after signing in."""

    def __init__(self, target: str = "") -> None:
        super().__init__(403, "Sign in again", "Your session has ended.")
        self.target = target


@dataclass(frozen=True, kw_only=True)
class TeamSettings:
    """Settings of a team's server.

    Attributes:
        secure: Whether browsers reach the server by HTTPS.
        address: The server's address for people, such as https://words.example.org; if empty,
            that of the request.
        sessions: How long sessions last.
        oidc: Another service where people sign in; None for passwords only.
    """

    secure: bool = False
    address: str = ""
    sessions: SessionSettings = field(default_factory=SessionSettings)
    oidc: OidcProvider | None = None


class TeamAccess:
    """Accounts in the review database, and sessions in cookies.

    Args:
        database: The review database.
        settings: How people reach the server.
        passwords: How passwords are kept; by default as OWASP recommends.
    """

    def __init__(
        self,
        database: Database,
        settings: TeamSettings | None = None,
        *,
        passwords: Passwords | None = None,
    ) -> None:
        from bilex.service.team import administration, signing_in

        self.settings = settings or TeamSettings()
        self.accounts = Accounts(database, passwords=passwords)
        self.sessions = Sessions(self.accounts, self.settings.sessions)
        # With this prefix, browsers take a cookie from this host by HTTPS only.
        prefix = "__Host-" if self.settings.secure else ""
        self.cookie, self.visit_cookie = f"{prefix}bilex-session", f"{prefix}bilex-visit"
        self.oidc_cookie = f"{prefix}bilex-oidc"
        self.router = APIRouter()
        parts = [signing_in.router, administration.router]
        if self.settings.oidc is not None:
            from bilex.service.team import single_sign_on

            parts.append(single_sign_on.router)
        for part in parts:
            self.router.include_router(part)

    def reviewer(self, request: Request) -> Member:
        """Return whose session the request has."""
        account = self.sessions.account(self.token(request))
        if account is None:
            is_page = request.method == "GET" and not is_part(request)
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            raise SignInNeededError(target if is_page else "")
        return Member(
            name=account.name,
            may_decide=account.may("reviewer"),
            may_resolve=account.may("editor"),
            account=account,
            address=client_address(request),
        )

    def form_token(self, request: Request) -> str:
        """Return a token that only pages of this session have."""
        return _derived(self.token(request), "form")

    def token(self, request: Request) -> str:
        """Return the secret of the session; empty if there is none."""
        return request.cookies.get(self.cookie, "")

    def keep_session(self, answer: Response, token: str) -> None:
        """Give the browser a session."""
        self._set(answer, self.cookie, token, int(self.settings.sessions.seconds))
        self.forget(answer, self.visit_cookie)

    def visit(self, request: Request) -> str:
        """Return a secret of a browser without a session; a new one if it has none."""
        return request.cookies.get(self.visit_cookie) or secrets.token_urlsafe(32)

    def visit_token(self, visit: str) -> str:
        """Return what forms must send back before there is a session."""
        return _derived(visit, "visit")

    def keep_visit(self, answer: Response, visit: str) -> None:
        """Give the browser the secret to which the forms of this page belong."""
        self._set(answer, self.visit_cookie, visit, _VISIT_SECONDS)

    def is_of_visit(self, request: Request, csrf: str) -> bool:
        """Return whether a form without a session comes from a page of ours."""
        visit = request.cookies.get(self.visit_cookie, "")
        expected = self.visit_token(visit)
        return bool(visit) and hmac.compare_digest(csrf.encode(), expected.encode())

    def keep_short(self, answer: Response, name: str, value: str) -> None:
        """Give the browser a value for some minutes."""
        self._set(answer, name, value, 600)

    def forget(self, answer: Response, name: str) -> None:
        """Remove a cookie."""
        answer.delete_cookie(
            name, path="/", secure=self.settings.secure, httponly=True, samesite="lax"
        )

    def public_address(self, request: Request) -> str:
        """Return the address of the server as people type it, without a slash at the end."""
        return (self.settings.address or str(request.base_url)).rstrip("/")

    def _set(self, answer: Response, name: str, value: str, seconds: int) -> None:
        answer.set_cookie(
            name,
            value,
            max_age=seconds,
            path="/",
            secure=self.settings.secure,
            httponly=True,
            samesite="lax",
        )


def _derived(secret: str, purpose: str) -> str:
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def client_address(request: Request) -> str:
    """Return where a request comes from; behind a proxy, what the proxy says."""
    return request.client.host if request.client is not None else ""


def safe_target(target: str) -> str:
    """Return a page of this server to go to next; the start page if it is anything else."""
    is_clean = not any(each <= " " or each in "\\\x7f" for each in target)
    if not is_clean or not target.startswith("/") or target.startswith("//"):
        return "/"
    try:
        parts = urlsplit(target)
    except ValueError:
        return "/"
    if parts.scheme or parts.netloc or parts.path in ("/login", "/invitation"):
        return "/"
    return quote(target, safe="/?&=%#+,;:@!$'()*~[]")


def sentence(problem: AccountError) -> str:
    """Return an error as a sentence of a page."""
    text = str(problem)
    return f"{text[:1].upper()}{text[1:]}."


def current_access(request: Request) -> TeamAccess:
    """Return the access of the app."""
    found: TeamAccess = request.app.state.settings.access
    return found


def current_member(reviewer: Annotated[Reviewer, Depends(current_reviewer)]) -> Member:
    """Return who sent a request; the person has an account."""
    assert isinstance(reviewer, Member)  # noqa: S101 - of this access
    return reviewer


def sending_member(reviewer: FormSender) -> Member:
    """Return who sent a form, if it is a form of ours."""
    return current_member(reviewer)


def _admin(member: Member) -> Member:
    if not member.account.may("admin"):
        raise RefusedError(403, "For admins only", "Ask an admin of this project.")
    return member


def current_admin(member: Annotated[Member, Depends(current_member)]) -> Member:
    """Return who sent a request, if it is an admin."""
    return _admin(member)


def sending_admin(member: Annotated[Member, Depends(sending_member)]) -> Member:
    """Return who sent a form, if it is a form of ours and an admin sent it."""
    return _admin(member)


Typed = Annotated[str, Form(max_length=1_000)]
"""A field of a form."""

CurrentAccess = Annotated[TeamAccess, Depends(current_access)]
CurrentMember = Annotated[Member, Depends(current_member)]
SendingMember = Annotated[Member, Depends(sending_member)]
CurrentAdmin = Annotated[Member, Depends(current_admin)]
SendingAdmin = Annotated[Member, Depends(sending_admin)]
