"""The review workbench as a web application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles

from bilex.errors import EventError, SettingError, StoreError
from bilex.review.store import ReviewStore
from bilex.service import batching, overview, reviewing
from bilex.service.access import RefusedError, Reviewer
from bilex.service.rendering import STATIC, ReviewSettings, Workbench

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Scope]]
_Send = Callable[[_Scope], Awaitable[None]]


def create_review_app(store: ReviewStore, settings: ReviewSettings) -> FastAPI:
    """Return the pages of a review project.

    Args:
        store: The decisions; closed by the caller.
        settings: Who may use the pages, and what they show.
    """
    app = FastAPI(title="bilex review", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.workbench = Workbench(store, settings)
    app.include_router(settings.access.router)
    for part in (overview, reviewing, batching):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(EventError, _not_storable)
    for kind in (RequestValidationError, SettingError):
        app.add_exception_handler(kind, _not_valid)
    app.add_exception_handler(StoreError, _not_stored)
    app.add_exception_handler(404, _not_found)
    app.add_middleware(AddHeaders, headers=_security_headers)
    return app


class AddHeaders:
    """Adds headers to each answer.

    Args:
        app: The application.
        headers: Returns the headers for a path.
    """

    def __init__(
        self,
        app: Callable[[_Scope, _Receive, _Send], Awaitable[None]],
        headers: Callable[[str], Mapping[str, str]],
    ) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = [
            (name.lower().encode(), value.encode())
            for name, value in self._headers(scope["path"]).items()
        ]

        async def send_with_headers(message: _Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _security_headers(path: str) -> Mapping[str, str]:
    """Return the headers of a path; pages are never kept by the browser, static files are."""
    is_static = path.startswith("/static/")
    age = "public, max-age=31536000, immutable" if is_static else "no-store"
    return {**HEADERS, "Cache-Control": age}


def _message(request: Request, status: int, heading: str, text: str) -> Response:
    workbench: Workbench = request.app.state.workbench
    reviewer: Reviewer | None
    try:
        reviewer = workbench.settings.access.reviewer(request)
    except RefusedError:
        reviewer = None
    return workbench.page(
        request, "message.html", reviewer, status=status, heading=heading, text=text
    )


def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RefusedError)  # noqa: S101 - registered for it
    return _message(request, problem.status, problem.heading, problem.text)


def _not_storable(request: Request, problem: Exception) -> Response:
    return _message(request, 400, "Not saved", f"The decision cannot be stored: {problem}")


def _not_stored(request: Request, problem: Exception) -> Response:
    """Answer with a status after which a page sends a decision again."""
    return PlainTextResponse(f"The database cannot be used now: {problem}", status_code=503)


def _not_valid(request: Request, problem: Exception) -> Response:
    return _message(request, 400, "Not valid", "The address or the form has impossible values.")


def _not_found(request: Request, problem: Exception) -> Response:
    return _message(request, 404, "No such page", "There is nothing at this address.")
