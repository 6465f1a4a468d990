"""Serve an application to this computer only."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from importlib import import_module

import uvicorn
from fastapi import FastAPI

from bilex.errors import SettingError

HOST = "127.0.0.1"


def listen(port: int | None, preferred: int) -> socket.socket:
    """Return a socket on the loopback address.

    Args:
        port: The port; None for the preferred one, or any free one if that is in use.
        preferred: A port that stays the same, so that the browser finds what it kept.

    Raises:
        SettingError: If the port is in use.
    """
    for wanted in (port,) if port is not None else (preferred, 0):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, wanted))
        except OSError:
            made.close()
            continue
        made.listen(128)
        return made
    raise SettingError(f"port {port} is in use: choose another one with --port")


def serve(app: FastAPI, listening: socket.socket, *, address: str | None = None) -> None:
    """Serve until Ctrl-C; open an address in the browser when the server is ready.

    Args:
        app: The application.
        listening: From `listen`.
        address: What to open; None opens nothing.
    """
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=3, lifespan="off"
        )
    )
    # The start page needs it, and importing it takes a second.
    threading.Thread(target=import_module, args=("scipy.stats",), daemon=True).start()
    if address is not None:
        # The socket is listening already: the browser waits until the server is ready.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # the way to stop
        server.run(sockets=[listening])
