"""Sockets that servers listen on."""

from __future__ import annotations

import socket

from bilex.service.serving import listen_here


def test_answers_are_sent_without_waiting_for_more() -> None:
    with (
        listen_here(0, 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
