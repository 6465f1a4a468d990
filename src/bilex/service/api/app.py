"""The lexicon service as a web application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware import Middleware

from bilex.service.api import health, page, routes
from bilex.service.api.catalog import Models
from bilex.service.api.problems import add_problem_handlers
from bilex.service.headers import AddHeaders, security_headers
from bilex.service.pages import STATIC
from bilex.storage.version import __version__

_ABOUT = """Translations of words, terms of texts and whole lexicons, from trained models and from
what people decided. All requests and answers are JSON in UTF-8."""


def create_api_app(
    models: Models, *, has_page: bool = True, guards: Sequence[Middleware] = ()
) -> FastAPI:
    """Return the API of some models.

    Args:
        models: What is served; loaded by the caller.
        has_page: Whether there is a page at `/` where people try it.
        guards: Middleware that may refuse requests, the innermost first.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        models.start()
        yield
        models.stop()

    app = FastAPI(
        title="bilex",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.models = models
    app.state.has_page = has_page
    app.include_router(routes.router)
    app.include_router(health.router)
    app.include_router(page.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    add_problem_handlers(app)
    for guard in guards:
        app.add_middleware(guard.cls, *guard.args, **guard.kwargs)
    app.add_middleware(AddHeaders, headers=security_headers)
    return app
