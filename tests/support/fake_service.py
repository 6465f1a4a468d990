"""A server with prepared answers, good and bad, and a record of what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from local_server import Handler, running


class Prepared(NamedTuple):
    """An answer to come.

    Attributes:
        status: The status; 0 for none: the connection is cut.
        body: The body.
        headers: Further headers.
        silence: Seconds before the answer.
        cut: After how many bytes of the body the connection is cut; None for never.
        pause: Seconds between two bytes of the body.
    """

    status: int = 200
    body: bytes = b'{"models": []}'
    headers: Mapping[str, str] = {}
    silence: float = 0.0
    cut: int | None = None
    pause: float = 0.0


class Asked(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class FakeService:
    """What a server answers, and what it was asked; without prepared answers, no models."""

    answers: list[Prepared] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    address: str = ""

    def fail(self, *statuses: int, **headers: str) -> None:
        """Answer with these statuses first."""
        body = json.dumps({"error": {"code": "busy", "message": "no time"}}).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers += [Prepared(status, body, named) for status in statuses]


class _Handler(Handler):
    def do_GET(self) -> None:
        state = cast(FakeService, self.server.state)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        state.asked.append(Asked(self.command, self.path, headers, body))
        answer = state.answers.pop(0) if state.answers else Prepared()
        time.sleep(answer.silence)
        with suppress(ConnectionError):
            self._reply(answer)

    do_POST = do_GET

    def _reply(self, answer: Prepared) -> None:
        if not answer.status or answer.cut is not None:
            self.close_connection = True
        if not answer.status:
            return
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if not answer.pause:
            self.wfile.write(answer.body[: answer.cut])
            return
        for byte in answer.body:
            self.wfile.write(bytes([byte]))
            time.sleep(answer.pause)


@contextmanager
def fake_service(port: int = 0) -> Iterator[FakeService]:
    """Run a server until the end of the block."""
    state = FakeService()
    with running(state, _Handler, port=port):
        yield state
