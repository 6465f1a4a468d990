"""Whether the service is alive, and whether it can answer."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def alive() -> JSONResponse:
    """Answer as long as the process works."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """Answer 200 if there are models and the server is not about to stop."""
    state = request.app.state
    if getattr(state, "draining", False):
        return JSONResponse({"status": "stopping"}, 503)
    if not state.models.current.pairs:
        return JSONResponse({"status": "no models"}, 503)
    return JSONResponse({"status": "ready", "models": len(state.models.current.pairs)})
