"""Limits on bodies, time and the number of requests at once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from bilex.service.api.asgi import App, Receive, Scope, Send
from bilex.service.api.guards import LimitBody, LimitConcurrency, LimitTime


class Exchange:
    """One request, given piece by piece, and its answer."""

    def __init__(self, *pieces: bytes, path: str = "/v1/translate", **headers: str) -> None:
        self.scope: Scope = {
            "type": "http",
            "path": path,
            "method": "POST",
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        }
        self.pieces: asyncio.Queue[Scope] = asyncio.Queue()
        for number, piece in enumerate(pieces, start=1):
            self.give(piece, more=number < len(pieces))
        self.status, self.body = 0, b""
        self.headers: dict[bytes, bytes] = {}

    def give(self, piece: bytes, *, more: bool) -> None:
        self.pieces.put_nowait({"type": "http.request", "body": piece, "more_body": more})

    async def receive(self) -> Scope:
        return await self.pieces.get()

    async def send(self, message: Scope) -> None:
        if message["type"] == "http.response.start":
            assert not self.status, "two answers"
            self.status, self.headers = message["status"], dict(message["headers"])
        else:
            self.body += message.get("body", b"")

    async def through(self, app: App) -> Exchange:
        await app(self.scope, self.receive, self.send)
        return self

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["error"]["code"])


async def answer(send: Send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = b""
    while True:
        message = await receive()
        body += message["body"]
        if not message["more_body"]:
            break
    await answer(send, body)


def run(coroutine: Any) -> Any:  # noqa: ANN401
    return asyncio.run(coroutine)


@pytest.mark.parametrize(
    "pieces", [(b"12345678",), (b"1234", b"", b"5678"), (b"", b"12345678", b"")]
)
@pytest.mark.parametrize("headers", [{"content_length": "8"}, {"transfer_encoding": "chunked"}])
def test_a_body_up_to_the_limit_arrives_as_it_was_sent(
    pieces: tuple[bytes, ...], headers: dict[str, str]
) -> None:
    found = run(Exchange(*pieces, **headers).through(LimitBody(echo, 8, 1)))
    assert (found.status, found.body) == (200, b"12345678")


@pytest.mark.parametrize(
    ("pieces", "headers"),
    [
        ((b"123456789",), {"content_length": "9"}),
        ((b"12345678", b"9"), {"transfer_encoding": "chunked"}),
        ((b"1",) * 100 + (b"",), {"transfer_encoding": "chunked"}),
        ((), {"content_length": "100000000000"}),  # nothing is read
        ((), {"content_length": "9", "expect": "100-continue"}),
        ((b"123456789",), {"content_length": "-1"}),
    ],
)
def test_a_larger_body_is_refused_however_it_is_sent(
    pieces: tuple[bytes, ...], headers: dict[str, str]
) -> None:
    found = run(Exchange(*pieces, **headers).through(LimitBody(echo, 8, 1)))
    assert (found.status, found.code) == (413, "too-large")
    assert found.headers[b"connection"] == b"close"


def test_a_body_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    async def endless() -> Exchange:
        exchange = Exchange(transfer_encoding="chunked")
        for _ in range(1_000):
            exchange.give(b"12345678", more=True)
        return await exchange.through(LimitBody(echo, 8, 5))

    found = run(endless())
    assert found.status == 413
    assert found.pieces.qsize() > 900


def test_a_slow_body_is_refused_after_a_while() -> None:
    async def slow() -> Exchange:
        exchange = Exchange(content_length="8")
        exchange.give(b"1", more=True)
        return await exchange.through(LimitBody(echo, 8, 0.05))

    found = run(slow())
    assert (found.status, found.code) == (408, "slow-request")
    assert found.headers[b"connection"] == b"close"


def test_a_client_that_goes_away_gets_no_answer() -> None:
    async def gone() -> Exchange:
        exchange = Exchange(content_length="8")
        exchange.give(b"1", more=True)
        exchange.pieces.put_nowait({"type": "http.disconnect"})
        return await exchange.through(LimitBody(echo, 8, 1))

    assert run(gone()).status == 0


def test_a_request_without_a_body_is_not_read() -> None:
    async def no_body(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"ok")

    assert run(Exchange(content_length="0").through(LimitBody(no_body, 8, 1))).status == 200


def test_requests_beyond_the_limit_are_told_to_come_back_and_probes_are_answered() -> None:
    async def several() -> None:
        go = asyncio.Event()

        async def waits(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] != "/healthz":
                await go.wait()
            await answer(send, b"ok")

        app = LimitConcurrency(waits, 2)
        first = [asyncio.create_task(Exchange().through(app)) for _ in range(2)]
        await asyncio.sleep(0)
        refused = await Exchange().through(app)
        assert (refused.status, refused.code) == (503, "busy")
        assert refused.headers[b"retry-after"] == b"1"
        assert (await Exchange(path="/healthz").through(app)).status == 200
        go.set()
        assert [one.status for one in await asyncio.gather(*first)] == [200, 200]
        assert (await Exchange().through(app)).status == 200

    run(several())


def test_a_place_is_free_again_after_an_error() -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError

    async def twice() -> None:
        app = LimitConcurrency(fails, 1)
        for _ in range(2):
            with pytest.raises(RuntimeError):
                await Exchange().through(app)

    run(twice())


def test_an_answer_that_takes_too_long_is_an_error_and_nothing_follows() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.2)
        await answer(send, b"late")

    found = run(Exchange().through(LimitTime(slow, 0.02)))
    assert (found.status, found.code) == (503, "too-slow")
    assert b"late" not in found.body


def test_an_answer_that_has_begun_may_take_its_time() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.1)
        await send({"type": "http.response.body", "body": b"whole"})

    assert run(Exchange().through(LimitTime(slow, 0.02))).body == b"whole"
