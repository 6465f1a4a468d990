"""Requests that fail: retries, time-outs, errors, and keys that stay secret."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

import bilex
from bilex.errors import BilexError, MissingExtraError, ServiceError, SettingError
from fake_service import FakeService, Prepared, fake_service

KEY = "bx_secret-1234567890"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_service_that_is_too_busy_is_asked_again(
    fake: FakeService, waits: list[float], status: int
) -> None:
    fake.fail(status, status, status)
    with bilex.Client(fake.address) as client:
        assert client.models() == []
    assert len(fake.asked) == 4
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1 <= waits[2] <= 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 422, 500, 501])
def test_other_errors_are_reported_at_once(
    fake: FakeService, waits: list[float], status: int
) -> None:
    fake.fail(status)
    with (
        bilex.Client(fake.address) as client,
        pytest.raises(ServiceError, match="no time") as raised,
    ):
        client.models()
    assert (raised.value.status, raised.value.code) == (status, "busy")
    assert str(raised.value).startswith(fake.address)
    assert (len(fake.asked), waits) == (1, [])


def test_the_number_of_attempts_is_bounded(fake: FakeService, waits: list[float]) -> None:
    fake.fail(*[503] * 9)
    with bilex.Client(fake.address, retries=2) as client:
        with pytest.raises(ServiceError, match="no time") as raised:
            client.models()
        assert raised.value.status == 503
        assert len(fake.asked) == 3
    with bilex.Client(fake.address, retries=0) as client:
        with pytest.raises(ServiceError):
            client.models()
        assert len(fake.asked) == 4
    assert len(waits) == 2


def test_waits_differ_between_clients_and_never_exceed_eight_seconds(
    fake: FakeService, waits: list[float]
) -> None:
    fake.fail(*[503] * 20)
    for _ in range(2):
        with bilex.Client(fake.address, retries=9) as client, pytest.raises(ServiceError):
            client.models()
    assert max(waits) <= 8
    assert min(waits[4:9]) >= 4
    assert waits[:9] != waits[9:]


@pytest.mark.parametrize("as_date", [False, True])
def test_the_service_says_when_to_ask_again(
    fake: FakeService, waits: list[float], as_date: bool
) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=20)
    fake.fail(429, Retry_After=format_datetime(moment, usegmt=True) if as_date else "20")
    with bilex.Client(fake.address) as client:
        client.models()
    assert len(waits) == 1
    assert 18 <= waits[0] <= 21


@pytest.mark.parametrize("value", ["soon", "-1", "", "1e3", "Mon, 99 Foo 2020"])
def test_a_time_that_makes_no_sense_is_ignored(
    fake: FakeService, waits: list[float], value: str
) -> None:
    fake.fail(503, Retry_After=value)
    with bilex.Client(fake.address) as client:
        client.models()
    assert len(waits) == 1
    assert 0.25 <= waits[0] <= 0.5


def test_a_past_date_means_now(fake: FakeService, waits: list[float]) -> None:
    fake.fail(503, Retry_After="Mon, 01 Jan 2024 00:00:00 GMT")
    with bilex.Client(fake.address) as client:
        client.models()
    assert waits[0] <= 0.2


def test_a_long_wait_is_left_to_the_caller(fake: FakeService, waits: list[float]) -> None:
    fake.answers.append(Prepared(429, b"", {"Retry-After": "3600"}))
    with (
        bilex.Client(fake.address) as client,
        pytest.raises(ServiceError, match="try again in 3600 seconds") as raised,
    ):
        client.models()
    assert (raised.value.status, waits) == (429, [])


@pytest.mark.parametrize("broken", [Prepared(status=0), Prepared(cut=3), Prepared(cut=0)])
def test_a_connection_that_is_cut_is_made_again(
    fake: FakeService, waits: list[float], broken: Prepared
) -> None:
    fake.answers += [broken, broken]
    with bilex.Client(fake.address) as client:
        assert client.models() == []
    assert len(fake.asked) == 3
    assert len(waits) == 2


def test_a_connection_that_stays_cut_is_an_error(fake: FakeService, waits: list[float]) -> None:
    fake.answers += [Prepared(status=0)] * 5
    with (
        bilex.Client(fake.address) as client,
        pytest.raises(ServiceError, match="cannot be reached") as raised,
    ):
        client.models()
    assert (raised.value.status, raised.value.code) == (None, "unreachable")
    assert len(waits) == 4


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_service_that_is_not_there_is_an_error_with_advice(waits: list[float]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with (
        bilex.Client(url) as client,
        pytest.raises(ServiceError, match="check that the service runs") as raised,
    ):
        client.translate(["house"])
    assert raised.value.code == "unreachable"
    assert len(waits) == 4


def test_a_service_that_is_killed_and_started_again_is_found_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bilex.client.connection._FIRST_WAIT", 0.1)
    port = free_port()
    code = (
        "import sys, threading; from fake_service import fake_service\n"
        f"with fake_service({port}):\n    print('ready', flush=True); threading.Event().wait()"
    )
    support = Path(__file__).resolve().parents[1] / "support"
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(support)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process, bilex.Client(f"http://127.0.0.1:{port}", retries=8) as client:
        try:
            assert process.stdout.readline() == b"ready\n"
            assert client.models() == []
        finally:
            process.kill()
            process.wait()
        stopping = threading.Event()

        def restart() -> None:
            time.sleep(0.5)
            with fake_service(port):
                stopping.wait()

        thread = threading.Thread(target=restart)
        thread.start()
        try:
            assert client.models() == []
        finally:
            stopping.set()
            thread.join()


@pytest.mark.parametrize(
    "slow", [Prepared(silence=1.0), Prepared(body=b" " * 500 + b"{}", pause=0.01)]
)
def test_a_slow_answer_is_an_error_and_not_asked_for_again(
    fake: FakeService, waits: list[float], slow: Prepared
) -> None:
    fake.answers.append(slow)
    start = time.monotonic()
    with (
        bilex.Client(fake.address, timeout=0.3) as client,
        pytest.raises(ServiceError, match=r"did not answer within 0\.3 seconds") as raised,
    ):
        client.models()
    assert time.monotonic() - start < 0.9
    assert (raised.value.status, raised.value.code) == (None, "timeout")
    assert (len(fake.asked), waits) == (1, [])


def test_a_redirect_is_not_followed(fake: FakeService, waits: list[float]) -> None:
    with fake_service() as other:
        fake.answers.append(Prepared(307, headers={"Location": f"{other.address}/v1/models"}))
        with (
            bilex.Client(fake.address, key=KEY) as client,
            pytest.raises(ServiceError, match=f"redirects to {other.address}") as raised,
        ):
            client.models()
        assert raised.value.status == 307
        assert other.asked == []


def test_the_key_is_sent_as_bearer_token(fake: FakeService) -> None:
    with bilex.Client(fake.address, key=KEY) as client:
        client.models()
    with bilex.Client(fake.address) as client:
        client.models()
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in fake.asked[1].headers
    assert fake.asked[1].headers["user-agent"].startswith("bilex/")


def test_the_key_is_in_no_log_no_error_and_no_repr(
    fake: FakeService, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fake.fail(401, 503)
    fake.answers += [Prepared(status=0), Prepared(body=b"<html>")]
    shown = []
    with bilex.Client(fake.address, key=KEY, pair="en-es") as client:
        for _ in range(2):
            try:
                client.models()
            except BilexError as error:
                shown += [str(error), repr(error), repr(error.__cause__)]
        shown += [repr(client), repr(vars(client)), repr(vars(client._connection))]
    assert len(fake.asked) == 4
    assert len(shown) == 9
    assert caplog.text
    assert KEY not in caplog.text + "".join(shown)
    assert repr(client) == f"Client('{fake.address}', pair='en-es')"


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "ключ", "tab\t"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingError, match="check it") as raised:
        bilex.Client("http://127.0.0.1:1", key=key)
    assert not key or key not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("127.0.0.1:8000", "expected an address"),
        ("localhost", "expected an address"),
        ("ftp://host", "expected an address"),
        ("http://", "expected an address"),
        ("http://host:port", "expected an address"),
        ("http://host/?a=b", "without"),
        ("http://host/#a", "without"),
        ("http://me:hunter2@host", "give a key instead"),
    ],
)
def test_a_wrong_address_is_explained(url: str, message: str) -> None:
    with pytest.raises(SettingError, match=message) as raised:
        bilex.Client(url)
    assert "hunter2" not in str(raised.value)


def test_clashing_settings_are_refused() -> None:
    make: list[tuple[Callable[[], object], str]] = [
        (lambda: bilex.Client("http://h", pair="a", source="en", target="es"), "not both"),
        (lambda: bilex.Client("http://h", source="en"), "go together"),
        (lambda: bilex.Client("http://h", timeout=0), "timeout is 0"),
        (lambda: bilex.Client("http://h", timeout=float("nan")), "timeout is nan"),
        (lambda: bilex.Client("http://h", retries=-1), "retries is -1"),
    ]
    for made, message in make:
        with pytest.raises(SettingError, match=message):
            made()


def test_an_address_may_have_a_path_and_a_slash_at_the_end(fake: FakeService) -> None:
    with bilex.Client(f"{fake.address}/words/") as client:
        client.models()
    assert fake.asked[0].path == "/words/v1/models"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"models": 3}',
        b'{"models": [{"name": 1}]}',
        b"\xff",
    ],
)
def test_an_answer_of_another_program_is_an_error(fake: FakeService, body: bytes) -> None:
    fake.answers.append(Prepared(body=body))
    with (
        bilex.Client(fake.address) as client,
        pytest.raises(ServiceError, match="check the address") as raised,
    ):
        client.models()
    assert raised.value.code == "bad-answer"


@pytest.mark.parametrize(
    "translations", [[], [{"word": "dog", "how": "known", "parts": [], "missing": []}], "house"]
)
def test_answers_to_other_words_are_an_error(fake: FakeService, translations: object) -> None:
    fake.answers.append(Prepared(body=json.dumps({"translations": translations}).encode()))
    with (
        bilex.Client(fake.address, pair="en-es") as client,
        pytest.raises(ServiceError, match="check the address"),
    ):
        client.translate(["house"])


def test_a_page_of_another_program_is_an_error(fake: FakeService) -> None:
    fake.answers.append(Prepared(404, b"<html>not here</html>"))
    with (
        bilex.Client(fake.address) as client,
        pytest.raises(ServiceError, match="status 404, not as a bilex service") as raised,
    ):
        client.models()
    assert raised.value.code == "http-404"


def test_an_answer_with_more_than_we_know_is_read(fake: FakeService) -> None:
    info = {
        "name": "en-es", "source": "en", "target": "es", "model": None, "source_words": 1,
        "target_words": 1, "calibrated": False, "own_entries": 1, "new": {"in": "version 2"},
    }  # fmt: skip
    fake.answers.append(Prepared(body=json.dumps({"models": [info]}).encode()))
    with bilex.Client(fake.address) as client:
        assert [one.name for one in client.models()] == ["en-es"]


def test_a_closed_client_says_so(fake: FakeService) -> None:
    with bilex.Client(fake.address) as client:
        client.models()
    with pytest.raises(SettingError, match="was closed: make another one"):
        client.models()


def test_without_httpx_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[client\]'"):
        bilex.Client("http://127.0.0.1:8000")


def test_importing_the_client_stays_light() -> None:
    code = "import sys, bilex; bilex.Client; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
