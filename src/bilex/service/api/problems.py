"""Errors of the API: one form for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from bilex.service.api.catalog import UnknownPairError
from bilex.service.api.schemas import ErrorResponse

_NO_JSON = "the body is not valid JSON"
_CODES = {404: "not-found", 405: "method-not-allowed"}


class ProblemError(Exception):
    """A request that cannot be answered.

    Args:
        status: The HTTP status.
        code: A short name that programs can test, such as unknown-word.
        message: What was found, what was expected, what to do.
        headers: Further headers of the answer.
    """

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers


def problem_response(problem: ProblemError) -> JSONResponse:
    """Return the answer to a request that failed."""
    content = {"error": {"code": problem.code, "message": problem.message}}
    return JSONResponse(content, problem.status, problem.headers)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its OpenAPI description."""
    meanings = {
        304: "Nothing has changed.",
        401: "No key, or an unknown one.",
        403: "The key is not for this.",
        404: "No such pair or word.",
        409: "The lexicon has changed since the cursor was given.",
        413: "The body is too large.",
        422: "The request is not valid.",
        429: "Too many requests.",
        503: "Not ready, or too busy.",
    }
    every = (*statuses, 401, 403, 413, 422, 429, 503)
    return {
        status: {"description": meanings[status]}
        | ({} if status == 304 else {"model": ErrorResponse})
        for status in every
    }


def add_problem_handlers(app: FastAPI) -> None:
    """Answer all errors in the same form."""
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(UnknownPairError, _unknown_pair)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, ProblemError)  # noqa: S101 - registered for it
    return problem_response(problem)


def _unknown_pair(request: Request, problem: Exception) -> Response:
    return problem_response(ProblemError(404, "unknown-pair", str(problem)))


def _not_valid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)  # noqa: S101 - registered for it
    first = problem.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    if first["type"] == "json_invalid":
        message = _NO_JSON
    elif first["type"] == "model_attributes_type":
        message = "the body is not a JSON object sent as application/json"
    else:
        text = str(first["msg"]).removeprefix("Value error, ")
        message = f"{place}: {text}" if place else text
    # A name of a field comes from the request and may hold half of a surrogate pair.
    message = message.encode(errors="replace").decode()
    return problem_response(ProblemError(422, "invalid-request", message))


def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # noqa: S101 - registered for it
    if problem.status_code == 400:  # FastAPI could not decode the body
        return problem_response(ProblemError(422, "invalid-request", _NO_JSON))
    code = _CODES.get(problem.status_code, "error")
    message = f"{request.method} {request.url.path}: {problem.detail}"
    return problem_response(ProblemError(problem.status_code, code, message, problem.headers))


def _unexpected(request: Request, problem: Exception) -> Response:
    """Answer what is a bug of ours; the server logs it."""
    message = "the server could not answer: its log says why"
    return problem_response(ProblemError(500, "internal", message))
