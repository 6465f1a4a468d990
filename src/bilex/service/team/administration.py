"""Pages about accounts: one's own, those of the team, and the security log."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import AccountError
from bilex.review.accounts import check_role
from bilex.review.passwords import SHORTEST
from bilex.review.roles import ROLE_HELP, ROLES, Role
from bilex.review.security_log import SecurityKind, read_log
from bilex.service.team.access import (
    CurrentAccess,
    CurrentAdmin,
    CurrentMember,
    Member,
    SendingAdmin,
    SendingMember,
    TeamAccess,
    Typed,
)
from bilex.service.workbench.access import RefusedError
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench

router = APIRouter()

_OWN_ROLE: dict[Role, str] = {
    "reader": "see all pages",
    "reviewer": "see all pages and decide on words",
    "editor": "decide on words, resolve disagreements and undo what others did",
    "admin": "do what editors do, and have the accounts, invitations and the security log",
}
KIND_NAMES: dict[SecurityKind, str] = {
    "login": "Signed in",
    "login-failed": "Failed to sign in",
    "login-limited": "Too many attempts to sign in",
    "logout": "Signed out",
    "account-added": "Account added",
    "account-removed": "Account removed",
    "role-changed": "Role changed",
    "password-changed": "Password changed",
    "invitation-made": "Invitation made",
    "invitation-used": "Invitation used",
    "invitation-withdrawn": "Invitation withdrawn",
    "backup": "Backup made",
    "restore": "Backup restored",
}

_PAGE = 100  # entries of the log


@router.get("/account")
def own_account(
    request: Request, workbench: CurrentWorkbench, member: CurrentMember, changed: str = ""
) -> Response:
    """Show one's own account."""
    notice = "Your password was changed. Other browsers are signed out." if changed else ""
    return _own(request, workbench, member, notice=notice)


@router.post("/account/password")
def change_password(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    member: SendingMember,
    old: Typed = "",
    new: Typed = "",
) -> Response:
    """Change one's own password, and end all other sessions."""
    if not member.account.has_password:
        raise RefusedError(403, "Not changed", "You sign in elsewhere: there is no password here.")
    try:
        account = access.sessions.check_password(member.name, old, address=member.address)
        access.accounts.set_password(member.name, new, actor=member.actor)
    except AccountError as refusal:
        return _own(request, workbench, member, problem=f"Not changed: {refusal}.", status=400)
    answer = RedirectResponse("/account?changed=1", status_code=303)
    access.keep_session(answer, access.sessions.start(account, address=member.address))
    return answer


@router.get("/accounts")
def all_accounts(
    request: Request, workbench: CurrentWorkbench, access: CurrentAccess, member: CurrentAdmin
) -> Response:
    """Show all accounts and open invitations."""
    return _team(request, workbench, access, member)


@router.post("/accounts/role")
def change_role(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    member: SendingAdmin,
    name: Typed = "",
    role: Typed = "",
) -> Response:
    """Change what an account may do."""
    try:
        access.accounts.set_role(name, check_role(role), actor=member.actor)
    except AccountError as refusal:
        return _team(request, workbench, access, member, problem=f"Not changed: {refusal}.")
    return RedirectResponse("/accounts", status_code=303)


@router.post("/accounts/remove")
def remove_account(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    member: SendingAdmin,
    name: Typed = "",
) -> Response:
    """Remove an account; its decisions stay."""
    try:
        access.accounts.remove(name, actor=member.actor)
    except AccountError as refusal:
        return _team(request, workbench, access, member, problem=f"Not removed: {refusal}.")
    return RedirectResponse("/accounts", status_code=303)


@router.post("/accounts/invite")
def invite(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    member: SendingAdmin,
    role: Typed = "",
) -> Response:
    """Make an invitation and show its link, this once."""
    try:
        token, _ = access.accounts.invite(check_role(role), actor=member.actor)
    except AccountError as refusal:
        return _team(request, workbench, access, member, problem=f"Not invited: {refusal}.")
    link = f"{access.public_address(request)}/invitation?{urlencode({'token': token})}"
    return _team(request, workbench, access, member, link=link, status=200)


@router.post("/accounts/withdraw")
def withdraw(
    request: Request,
    workbench: CurrentWorkbench,
    access: CurrentAccess,
    member: SendingAdmin,
    mark: Typed = "",
) -> Response:
    """Make an invitation invalid."""
    try:
        access.accounts.withdraw(mark, actor=member.actor)
    except AccountError as refusal:
        return _team(request, workbench, access, member, problem=f"Not withdrawn: {refusal}.")
    return RedirectResponse("/accounts", status_code=303)


@router.get("/security-log")
def security_log(
    request: Request,
    workbench: CurrentWorkbench,
    member: CurrentAdmin,
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> Response:
    """Show what concerns the security of the team."""
    found = workbench.store.database.read(
        lambda connection: read_log(connection, before=before, limit=_PAGE)
    )
    older = found[-1].number if len(found) == _PAGE else None
    return workbench.page(
        request,
        "team_log.html",
        member,
        entries=found,
        older=older,
        is_first=before is None,
        kind_names=KIND_NAMES,
    )


def _own(
    request: Request,
    workbench: Workbench,
    member: Member,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    return workbench.page(
        request,
        "team_account.html",
        member,
        status=status,
        notice=notice,
        problem=problem,
        shortest=SHORTEST,
        role_text=_OWN_ROLE[member.role],
    )


def _team(
    request: Request,
    workbench: Workbench,
    access: TeamAccess,
    member: Member,
    *,
    link: str = "",
    problem: str = "",
    status: int = 400,
) -> Response:
    return workbench.page(
        request,
        "team_accounts.html",
        member,
        status=status if problem or link else 200,
        accounts=access.accounts.all(),
        invitations=access.accounts.open_invitations(),
        roles=ROLES,
        role_help=ROLE_HELP,
        link=link,
        problem=problem,
    )
