"""Headers that make answers safe in browsers, and the middleware that adds them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

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


def security_headers(path: str) -> Mapping[str, str]:
    """Return the headers of a path; pages are never kept by the browser, static files are."""
    is_static = path.startswith("/static/")
    age = "public, max-age=31536000, immutable" if is_static else "no-store"
    return {**HEADERS, "Cache-Control": age}
