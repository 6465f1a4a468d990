"""The review workbench of a team as a web application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from bilex.review.store import ReviewStore
from bilex.service.app import create_review_app
from bilex.service.rendering import ReviewSettings, Workbench
from bilex.service.team.access import SignInNeededError, TeamAccess, safe_target

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Scope]]
_Send = Callable[[_Scope], Awaitable[None]]

_ONLY_HTTPS = (b"strict-transport-security", b"max-age=31536000")


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
        app.add_middleware(_OnlyHttps)
    return app


class _OnlyHttps:
    """Lets browsers use HTTPS only, also when somebody types the address without it."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        async def send_with_header(message: _Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], _ONLY_HTTPS]
            await send(message)

        await self._app(scope, receive, send_with_header)


def _sign_in(request: Request, problem: Exception) -> Response:
    """Send a browser to the sign-in page; tell a script or a form that the session has ended."""
    assert isinstance(problem, SignInNeededError)  # noqa: S101 - registered for it
    if problem.target:
        wanted = safe_target(problem.target)
        query = "" if wanted == "/" else f"?{urlencode({'next': wanted})}"
        return RedirectResponse(f"/login{query}", status_code=303)
    workbench: Workbench = request.app.state.workbench
    return workbench.page(request, "team_ended.html", None, status=problem.status)
