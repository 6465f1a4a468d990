"""Connections on which the head of a request has to arrive in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def make_protocol(seconds: float) -> type[asyncio.Protocol]:
    """Return a protocol that closes connections whose request does not begin or go on in time.

    uvicorn waits for the rest of a head for ever, so that a few clients could use up all
    connections.
    """

    class Patient(H11Protocol):
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn gives them
            super().__init__(*args, **kwargs)
            self._deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._deadline = self.loop.call_later(seconds, self._close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            is_in_head = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
            if not is_in_head:
                self._set_free()
            elif self._deadline is None:
                self._deadline = self.loop.call_later(seconds, self._close)

        def connection_lost(self, exc: Exception | None) -> None:
            self._set_free()
            super().connection_lost(exc)

        def _set_free(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _close(self) -> None:
            self._deadline = None
            self.transport.close()

    return Patient
