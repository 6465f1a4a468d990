"""Watches requests: gives each an identity, a line in the log and its place in the metrics."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable

from bilex.service.api.asgi import (
    App,
    Facts,
    Receive,
    Scope,
    Send,
    header,
    refuse,
    rule_of,
    set_facts,
)
from bilex.service.api.logs import REQUESTS
from bilex.service.api.metrics import Metrics
from bilex.service.api.problems import ProblemError

_log = logging.getLogger(__name__)
_requests = logging.getLogger(REQUESTS)

_IDENTITY = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_CLIENT_GONE = 499  # as in nginx


class Observe:
    """Watches each request, and answers those whose handling failed.

    The log and the metrics have the route, never the address that was asked, the body, the key or
    where a request came from.

    Args:
        app: The application.
        metrics: Counts.
        is_logged: Whether each request has a line in the log.
        is_draining: Returns whether the server is about to stop; then connections are closed.
    """

    def __init__(
        self, app: App, metrics: Metrics, *, is_logged: bool, is_draining: Callable[[], bool]
    ) -> None:
        self._app, self._metrics = app, metrics
        self._is_logged, self._is_draining = is_logged, is_draining

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        facts = Facts(_identity(scope), rule_of(scope["path"]))
        set_facts(scope, facts)
        status, size = 0, 0

        async def send_and_watch(message: Scope) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [(b"x-request-id", facts.identity.encode())]
                if self._is_draining():
                    added.append((b"connection", b"close"))
                message["headers"] = [*message["headers"], *added]
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        start = time.perf_counter()
        with self._metrics.in_progress():
            try:
                await self._app(scope, receive, send_and_watch)
            except Exception:
                _log.exception("request %s failed", facts.identity)
                if status:
                    raise  # half an answer is cut off, so that nobody takes it for a whole one
                problem = ProblemError(
                    500, "internal-error", f"this is our mistake; see {facts.identity} in the log"
                )
                await refuse(problem, scope, receive, send_and_watch)
            finally:
                seconds = time.perf_counter() - start
                self._metrics.count_request(facts.rule.route, status or _CLIENT_GONE, seconds)
                if self._is_logged:
                    self._write(scope, facts, status or _CLIENT_GONE, seconds, size)

    def _write(self, scope: Scope, facts: Facts, status: int, seconds: float, size: int) -> None:
        method = scope["method"]
        line = {
            "id": facts.identity,
            "method": method if method in _METHODS else "other",
            "route": facts.rule.route,
            "status": status,
            "ms": round(1000 * seconds, 2),
            "bytes": size,
            "key": facts.key or None,
        }
        _requests.info("request", extra={"request": line})


def _identity(scope: Scope) -> str:
    given = header(scope, b"x-request-id")
    if given is not None and _IDENTITY.fullmatch(given):
        return given.decode()
    return secrets.token_hex(8)
