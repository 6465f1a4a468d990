"""The review workbench of a team as a web application."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from bilex.review.store import ReviewStore
from bilex.service.headers import AddHeaders
from bilex.service.team.access import SignInNeededError, TeamAccess, safe_target
from bilex.service.workbench.app import create_review_app
from bilex.service.workbench.rendering import ReviewSettings, Workbench

_ONLY_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}


def create_team_app(store: ReviewStore, settings: ReviewSettings) -> FastAPI:
    """Return the pages of a review project for people with accounts.

    Args:
        store: The decisions and the accounts; closed by the caller.
        settings: What the pages show; `settings.access` is a `TeamAccess`.
    """
    app = create_review_app(store, settings)
    app.add_exception_handler(SignInNeededError, _sign_in)
    access = settings.access
    if isinstance(access, TeamAccess) and access.settings.secure:
        # Browsers then use HTTPS only, also when somebody types the address without it.
        app.add_middleware(AddHeaders, headers=lambda _path: _ONLY_HTTPS)
    return app


def _sign_in(request: Request, problem: Exception) -> Response:
    """Send a browser to the sign-in page; tell a script or a form that the session has ended."""
    assert isinstance(problem, SignInNeededError)  # noqa: S101 - registered for it
    if problem.target:
        wanted = safe_target(problem.target)
        query = "" if wanted == "/" else f"?{urlencode({'next': wanted})}"
        return RedirectResponse(f"/login{query}", status_code=303)
    workbench: Workbench = request.app.state.workbench
    return workbench.page(request, "team_ended.html", None, status=problem.status)
