"""A server of this process, whose handler reads and changes a state that a test prepares."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol, TypeVar


class State(Protocol):
    """What a server does; it gets the address of the server."""

    address: str


StateT = TypeVar("StateT", bound=State)


class Handler(BaseHTTPRequestHandler):
    """Answers requests without printing them."""

    protocol_version = "HTTP/1.1"
    server: LocalServer

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


class LocalServer(ThreadingHTTPServer):
    """A server with a state."""

    daemon_threads = True
    block_on_close = False
    state: State


@contextmanager
def running(state: StateT, handler: type[Handler], *, port: int = 0) -> Iterator[StateT]:
    """Run a server until the end of the block."""
    with LocalServer(("127.0.0.1", port), handler) as server:
        server.state = state
        state.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
