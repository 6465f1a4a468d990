"""Limits on bodies, time and the number of requests at once."""

from __future__ import annotations

import asyncio

from bilex.service.api.asgi import App, Receive, Scope, Send, facts_of, header, refuse
from bilex.service.api.problems import ProblemError

_CLOSE = {"Connection": "close"}
_THROWN_AWAY = 10  # bodies up to this many times too large are read, so that the answer is seen


class LimitConcurrency:
    """Tells requests to come back later while too many are running; probes are always answered."""

    def __init__(self, app: App, at_once: int) -> None:
        self._app, self._at_once, self._running = app, at_once, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or facts_of(scope).rule.is_probe:
            await self._app(scope, receive, send)
            return
        if self._running >= self._at_once:
            problem = ProblemError(
                503, "busy", "too many requests at once: try again", {"Retry-After": "1"}
            )
            await refuse(problem, scope, receive, send)
            return
        self._running += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1


class LimitBody:
    """Reads the body of a request before it is answered, up to a size and a time."""

    def __init__(self, app: App, most: int, seconds: float) -> None:
        self._app, self._most, self._seconds = app, most, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except ProblemError as problem:
            await refuse(problem, scope, receive, send)
            return
        if body is None:  # the client is gone
            return
        is_read = False

        async def receive_body() -> Scope:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, receive_body, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        announced = header(scope, b"content-length")
        size = int(announced) if announced is not None and announced.isdigit() else 0
        is_asked_first = header(scope, b"expect") is not None
        if size > self._most and (is_asked_first or size > _THROWN_AWAY * self._most):
            raise self._too_large()
        chunks, received = [], 0
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    chunk = message.get("body", b"")
                    received += len(chunk)
                    if received > _THROWN_AWAY * self._most:
                        raise self._too_large()
                    if received <= self._most:
                        chunks.append(chunk)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise ProblemError(
                408,
                "slow-request",
                f"the body did not arrive within {self._seconds:g} s: send it faster",
                _CLOSE,
            ) from None
        if received > self._most:
            raise self._too_large()
        return b"".join(chunks)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            413,
            "too-large",
            f"the body has more than {self._most:,} bytes: send it in several requests",
            _CLOSE,
        )


class LimitTime:
    """Answers with an error when an answer takes too long.

    The work itself cannot be stopped; until it ends, it counts as a running request.
    """

    def __init__(self, app: App, seconds: float) -> None:
        self._app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        is_begun = False
        excuse: asyncio.Task[None] | None = None

        async def send_in_time(message: Scope) -> None:
            nonlocal is_begun
            if excuse is None:
                is_begun = True
                await send(message)

        def give_up() -> None:
            nonlocal excuse
            if not is_begun:
                problem = ProblemError(
                    503,
                    "too-slow",
                    f"there is no answer after {self._seconds:g} s: ask for less at once",
                    {"Retry-After": "1"},
                )
                excuse = loop.create_task(refuse(problem, scope, receive, send))

        timer = loop.call_later(self._seconds, give_up)
        try:
            await self._app(scope, receive, send_in_time)
        finally:
            timer.cancel()
            if excuse is not None:
                await excuse


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )
