"""Listen on a port, and serve an application there."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from typing import TYPE_CHECKING

import uvicorn

from bilex.errors import SettingError

if TYPE_CHECKING:
    from fastapi import FastAPI

HOST = "127.0.0.1"
"""Only this computer can reach it."""

_WAITING = 128  # connections that wait to be accepted


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        SettingError: If the port is in use, or the host is not an address of this computer.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.create_server((where[0], port), family=family, backlog=_WAITING)
        # Connections inherit it. asyncio does not set it for sockets made this way, and then an
        # answer waits 40 ms between its headers and its body.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise SettingError(
            f"cannot listen on {host}, port {port} ({reason}): choose others with --host and --port"
        ) from problem


def listen_here(port: int | None, preferred: int) -> socket.socket:
    """Return a listening socket that only this computer can reach.

    Args:
        port: The port; None for the preferred one, or any free one if that is in use.
        preferred: A port that stays the same, so that the browser finds what it kept.

    Raises:
        SettingError: If the port is in use.
    """
    for wanted in (port,) if port is not None else (preferred, 0):
        with contextlib.suppress(SettingError):
            return listen(HOST, wanted)
    raise SettingError(f"port {port} is in use: choose another one with --port")


def serve(app: FastAPI, listening: socket.socket, *, proxies: str = "", patience: int = 10) -> None:
    """Serve until Ctrl-C.

    Args:
        app: The application.
        listening: From `listen` or `listen_here`.
        proxies: Addresses or networks, separated by commas, of proxies that say where requests
            come from; empty if there is none.
        patience: Seconds that running requests have when the server stops.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=patience,
        proxy_headers=bool(proxies),  # otherwise anybody could claim to be anywhere
        forwarded_allow_ips=proxies or [],
    )
    with contextlib.suppress(KeyboardInterrupt):  # the way to stop
        uvicorn.Server(config).run(sockets=[listening])
