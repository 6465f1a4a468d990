"""Serve a team's workbench."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

import uvicorn
from fastapi import FastAPI

from bilex.errors import SettingError


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket.

    Raises:
        SettingError: If the port is in use, or the host is not an address of this computer.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server((where[0], port), family=family, backlog=128)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise SettingError(
            f"cannot listen on {host}, port {port} ({reason}): choose others with --host and --port"
        ) from problem


def serve(app: FastAPI, listening: socket.socket, *, proxies: str = "") -> None:
    """Serve until Ctrl-C.

    Args:
        app: The application.
        listening: From `listen`.
        proxies: Addresses or networks, separated by commas, of proxies that say where requests
            come from; empty if there is none.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=10,
        proxy_headers=bool(proxies),  # otherwise anybody could claim to be anywhere
        forwarded_allow_ips=proxies or [],
    )
    with contextlib.suppress(KeyboardInterrupt):  # the way to stop
        uvicorn.Server(config).run(sockets=[listening])
