"""Pages for people without a session: sign in, and accept an invitation; and signing out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import AccountError
from bilex.review.passwords import SHORTEST
from bilex.review.sessions import TooManyAttemptsError
from bilex.service.team.access import (
    CurrentAccess,
    SendingMember,
    TeamAccess,
    Typed,
    client_address,
    safe_target,
    sentence,
)
from bilex.service.workbench.access import RefusedError
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench

router = APIRouter()

_TOO_OLD = "The form was too old, or this browser refuses cookies. Try again."

Given = Annotated[str, Query(max_length=2_000)]


@router.get("/login")
def login_page(
    request: Request, workbench: CurrentWorkbench, access: CurrentAccess, next: Given = "/"
) -> Response:
    """Show the form to sign in."""
    target = safe_target(next)
    if access.sessions.account(access.token(request)) is not None:
        return RedirectResponse(target, status_code=303)
    return _login(request, workbench, access, target=target)


@router.post("/login")
def login(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    name: Typed = "",
    password: Typed = "",
    next: Typed = "/",
    csrf: Typed = "",
) -> Response:
    """Start a session."""
    target = safe_target(next)
    if not access.is_of_visit(request, csrf):
        return _login(request, workbench, access, target=target, problem=_TOO_OLD, status=403)
    address, old = client_address(request), access.token(request)
    try:
        token = access.sessions.sign_in(name, password, address=address, old=old)
    except TooManyAttemptsError as refusal:
        problem = sentence(refusal)
        page = _login(request, workbench, access, target=target, problem=problem, status=429)
        page.headers["Retry-After"] = str(refusal.seconds)
        return page
    except AccountError as refusal:
        problem = sentence(refusal)
        return _login(
            request, workbench, access, target=target, name=name, problem=problem, status=401
        )
    answer = RedirectResponse(target, status_code=303)
    access.keep_session(answer, token)
    return answer


@router.post("/logout")
def logout(request: Request, access: CurrentAccess, member: SendingMember) -> Response:
    """End the session."""
    access.sessions.sign_out(access.token(request), address=member.address)
    answer = RedirectResponse("/login", status_code=303)
    access.forget(answer, access.cookie)
    return answer


@router.get("/invitation")
def invitation_page(
    request: Request, workbench: CurrentWorkbench, access: CurrentAccess, token: Given = ""
) -> Response:
    """Show the form by which an invited person makes an account."""
    return _invitation(request, workbench, access, token)


@router.post("/invitation")
def accept_invitation(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    token: Typed = "",
    name: Typed = "",
    password: Typed = "",
    csrf: Typed = "",
) -> Response:
    """Make an account and start a session."""
    if not access.is_of_visit(request, csrf):
        return _invitation(request, workbench, access, token, problem=_TOO_OLD, status=403)
    address, old = client_address(request), access.token(request)
    try:
        account = access.accounts.accept(token, name, password, address=address)
    except AccountError as refusal:
        problem = sentence(refusal)
        return _invitation(
            request, workbench, access, token, name=name, problem=problem, status=400
        )
    answer = RedirectResponse("/", status_code=303)
    access.keep_session(answer, access.sessions.start(account, address=address, old=old))
    return answer


def _login(
    request: Request,
    workbench: Workbench,
    access: TeamAccess,
    *,
    target: str,
    name: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    values = {"target": target, "name": name, "problem": problem}
    return _visited(request, workbench, access, "team_login.html", status, values)


def _invitation(
    request: Request,
    workbench: Workbench,
    access: TeamAccess,
    token: str,
    *,
    name: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    found = access.accounts.invitation(token)
    if found is None:
        raise RefusedError(
            404,
            "This invitation is not valid",
            "It was used, withdrawn or has expired. Ask the person who invited you for a new one.",
        )
    values = {
        "invitation": found,
        "token": token,
        "name": name,
        "problem": problem,
        "shortest": SHORTEST,
    }
    return _visited(request, workbench, access, "team_invitation.html", status, values)


def _visited(
    request: Request,
    workbench: Workbench,
    access: TeamAccess,
    template: str,
    status: int,
    values: dict[str, Any],
) -> Response:
    """Return a page with a form for a browser without a session."""
    visit, oidc = access.visit(request), access.settings.oidc
    answer = workbench.page(
        request,
        template,
        None,
        status=status,
        csrf=access.visit_token(visit),
        elsewhere="" if oidc is None else oidc.settings.label,
        **values,
    )
    access.keep_visit(answer, visit)
    return answer
