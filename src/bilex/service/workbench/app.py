"""The review workbench as a web application."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles

from bilex.errors import EventError, SettingError, StoreError
from bilex.review.store import ReviewStore
from bilex.service.headers import AddHeaders, security_headers
from bilex.service.pages import STATIC
from bilex.service.workbench import batching, overview, reviewing
from bilex.service.workbench.access import RefusedError, Reviewer
from bilex.service.workbench.rendering import ReviewSettings, Workbench


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
    app.add_middleware(AddHeaders, headers=security_headers)
    return app


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
