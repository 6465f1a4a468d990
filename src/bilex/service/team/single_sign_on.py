"""Signing in elsewhere: to the other service, and back from it."""

from __future__ import annotations

import base64
import json
import secrets
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import AccountError
from bilex.review.accounts import Account
from bilex.service.team.access import (
    CurrentAccess,
    TeamAccess,
    client_address,
    safe_target,
    sentence,
)
from bilex.service.team.oidc import OidcProvider
from bilex.service.workbench.access import RefusedError

CALLBACK = "/oidc/callback"

router = APIRouter()

Given = Annotated[str, Query(max_length=4_000)]


@router.get("/oidc/start")
def start(
    request: Request, access: CurrentAccess, next: Given = "/", invitation: Given = ""
) -> Response:
    """Send the browser to the other service."""
    # State, nonce and the PKCE verifier are derived from this cookie: nothing is stored here.
    plan = json.dumps([safe_target(next), invitation]).encode()
    secret = f"{secrets.token_urlsafe(32)}.{base64.urlsafe_b64encode(plan).decode()}"
    address = f"{access.public_address(request)}{CALLBACK}"
    try:
        where = _provider(access).start(address, secret)
    except AccountError as problem:
        raise RefusedError(503, "Not signed in", sentence(problem)) from problem
    answer = RedirectResponse(where, status_code=303)
    access.keep_short(answer, access.oidc_cookie, secret)
    return answer


@router.get(CALLBACK)
def callback(
    request: Request, access: CurrentAccess, code: Given = "", state: Given = "", iss: Given = ""
) -> Response:
    """Start a session for the person whom the other service has recognized."""
    secret = request.cookies.get(access.oidc_cookie, "")
    target, invitation = _plan(secret)
    came_from = client_address(request)
    provider = _provider(access)
    try:
        person = provider.finish(
            f"{access.public_address(request)}{CALLBACK}",
            secret,
            code=code,
            state=state,
            issuer=iss,
        )
        account: Account | None = access.accounts.of_identity(person.identity)
        if account is None:
            account = access.accounts.add_identity(
                person.identity,
                person.name,
                token=invitation,
                role=provider.settings.new_accounts,
                address=came_from,
            )
    except AccountError as refusal:
        raise RefusedError(403, "Not signed in", sentence(refusal)) from refusal
    old = access.token(request)
    token = access.sessions.start(account, address=came_from, old=old, detail="single sign-on")
    answer = RedirectResponse(target, status_code=303)
    access.keep_session(answer, token)
    access.forget(answer, access.oidc_cookie)
    return answer


def _provider(access: TeamAccess) -> OidcProvider:
    assert access.settings.oidc is not None  # noqa: S101 - otherwise there are no such routes
    return access.settings.oidc


def _plan(secret: str) -> tuple[str, str]:
    """Return where to go after signing in, and the invitation to use."""
    try:
        target, invitation = json.loads(base64.urlsafe_b64decode(secret.partition(".")[2]))
    except (ValueError, TypeError):
        return "/", ""
    return safe_target(str(target)), str(invitation)
