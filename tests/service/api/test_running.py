"""`bilex serve` as real processes: workers, kills, swaps and the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bilex.service.api.keys import add_key
from bilex.service.api.rates import Rate
from bilex.storage.files import writing
from running_service import odd_model, plain_model
from served_api import PATIENCE, ServedApi, ask, serving, wait_for

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks at processes in /proc"
)

WORKERS = 2
LIMIT = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    plain_model().save(made / "models" / "en-es")
    return made


@pytest.fixture(scope="module")
def tokens(folder: Path) -> dict[str, str]:
    path = folder / "keys.json"
    return {
        "limited": add_key(path, "limited", ["translate"], Rate(LIMIT, 86_400)),
        "free": add_key(path, "free", ["translate", "lexicon"], None),
    }


@pytest.fixture(scope="module")
def server(folder: Path, tokens: dict[str, str]) -> Iterator[ServedApi]:
    arguments = ["--folder", str(folder / "models"), "--keys", str(folder / "keys.json")]
    with serving(*arguments, "--workers", str(WORKERS), log=folder / "log") as running:
        wait_for(lambda: len(running.workers()) == WORKERS)
        yield running


@pytest.fixture
def free(tokens: dict[str, str]) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens['free']}"}


class Asking:
    """Asks again and again over connections of its own, until the end of the block."""

    def __init__(self, server: ServedApi, headers: dict[str, str]) -> None:
        self._server, self._headers = server, headers
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(3)]
        self.statuses: Counter[int] = Counter()  # 0: no answer
        self.models: set[str] = set()

    def __enter__(self) -> Asking:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        body = {"pair": "en-es", "words": ["s1"]}
        connection = self._server.connect()
        while not self._end.is_set():
            try:
                reply = ask(connection, "/v1/translate", body, **self._headers)
                self.statuses[reply.status] += 1
                if reply.status == 200:
                    self.models.add(reply.json["model"])
            except (OSError, HTTPException):
                self.statuses[0] += 1
                connection.close()
        connection.close()


def count_of(server: ServedApi, start: str) -> float:
    text = server.ask("/metrics").body.decode()
    return sum(
        float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(start)
    )


def test_limits_and_counts_hold_for_all_workers_and_survive_their_end(
    server: ServedApi, tokens: dict[str, str]
) -> None:
    limited = {"Authorization": f"Bearer {tokens['limited']}"}
    route = 'bilex_requests_total{route="/v1/translate",status="200"}'
    first = [server.translate("s1", **limited).status for _ in range(LIMIT - 5)]
    assert first == [200] * (LIMIT - 5)
    wait_for(lambda: count_of(server, route) == LIMIT - 5)  # counted once it was answered
    before = server.workers()
    for process in before:
        os.kill(process, signal.SIGKILL)
    wait_for(lambda: len(server.workers()) == WORKERS and not set(before) & set(server.workers()))
    wait_for(lambda: server.ask("/readyz").status == 200)
    later = [server.translate("s1", **limited).status for _ in range(8)]
    assert later == [200] * 5 + [429] * 3
    wait_for(lambda: count_of(server, route) == LIMIT)
    assert count_of(server, "bilex_words_translated_total") == LIMIT
    wait_for(lambda: count_of(server, "bilex_requests_in_progress") == 1)


def test_a_worker_that_is_killed_loses_only_the_requests_that_it_was_answering(
    server: ServedApi, free: dict[str, str]
) -> None:
    with Asking(server, free) as asking:
        for _ in range(2):
            time.sleep(0.3)
            workers = server.workers()
            os.kill(workers[0], signal.SIGKILL)
            wait_for(
                lambda old=workers[0]: (
                    len(server.workers()) == WORKERS and old not in server.workers()
                )
            )
        wait_for(lambda: asking.statuses[200] > 20)
    assert set(asking.statuses) <= {0, 200}
    assert asking.statuses[0] <= 2 * len(asking._threads)


def test_models_are_added_replaced_and_removed_without_a_failed_request(
    server: ServedApi, free: dict[str, str], folder: Path
) -> None:
    models = folder / "models"

    def served() -> set[str]:
        """Return the pairs that both workers serve; which one answers is chance."""
        seen = [
            {one["name"] + one["model"] for one in server.ask("/v1/models", **free).json["models"]}
            for _ in range(6)
        ]
        return seen[0] if all(one == seen[0] for one in seen) else set()

    plain, odd = plain_model().identity, odd_model().identity
    with Asking(server, free) as asking:
        odd_model().save(models / "de-fr")
        wait_for(lambda: served() == {f"de-fr{odd}", f"en-es{plain}"})
        with writing(models / "en-es") as part:
            shutil.copytree(models / "de-fr", part)
        wait_for(lambda: served() == {f"de-fr{odd}", f"en-es{odd}"})
        with writing(models / "en-es") as part:
            plain_model().save(part)
        shutil.rmtree(models / "de-fr")
        wait_for(lambda: served() == {f"en-es{plain}"})
    assert set(asking.statuses) == {200}
    assert asking.models == {plain, odd}


def test_sighup_starts_new_workers(server: ServedApi, free: dict[str, str]) -> None:
    before = set(server.workers())
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: len(server.workers()) == WORKERS and not before & set(server.workers()))
    assert server.translate("s1", **free).status == 200


def test_a_request_whose_head_never_ends_is_given_up(folder: Path) -> None:
    (folder / "en-gl.tsv").write_text("source\ttarget\nhouse\tcasa\n")
    variables = {"BILEX_SERVE_BODY_SECONDS": "0.5", "BILEX_SERVE_DRAIN_SECONDS": "1"}
    with serving(str(folder / "en-gl.tsv"), log=folder / "slow", **variables) as server:
        address = urlsplit(server.url)
        where = (address.hostname or "", address.port or 0)
        with socket.create_connection(where, timeout=PATIENCE) as nothing:
            assert nothing.recv(100) == b""
        with socket.create_connection(where, timeout=PATIENCE) as half:
            half.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += half.recv(10_000)
            assert answer.startswith(b"HTTP/1.1 200")
            half.sendall(b"GET /readyz HTTP/1.1\r\nHost: loc")
            assert half.recv(10_000) == b""
        with socket.create_connection(where, timeout=PATIENCE) as slow:
            slow.sendall(
                b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
            )
            assert slow.recv(10_000).startswith(b"HTTP/1.1 408")
        # SIGTERM: not ready any more, but still answering; then the end.
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: server.ask("/readyz").status == 503)
        assert server.translate().status == 404  # the pair is en-gl
        assert server.process.wait(PATIENCE) == 0
        assert server.log.read_text().endswith("Stopped.\n")


def test_running_requests_are_answered_after_sigterm_and_the_end_is_clean(
    server: ServedApi, free: dict[str, str], folder: Path
) -> None:
    """The last one: it stops the server."""
    workers = server.workers()
    address = urlsplit(server.url)
    body = b'{"pair": "en-es", "words": ["s1"]}'
    head = (
        f"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        f"Content-Type: application/json\r\nAuthorization: {free['Authorization']}\r\n\r\n"
    )
    with socket.create_connection((address.hostname or "", address.port or 0)) as open_one:
        open_one.sendall(head.encode() + body[:5])
        time.sleep(0.3)  # until a worker has begun with it
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        open_one.sendall(body[5:])
        answer = b""
        while piece := open_one.recv(10_000):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"connection: close" in answer
    assert server.process.wait(PATIENCE) == 0
    assert server.log.read_text().endswith("Stopped.\n")
    for process in workers:
        assert not Path(f"/proc/{process}").exists()
    assert "Traceback" not in server.log.read_text()
    assert not any("error" in line for line in server.lines())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_workers_end_when_the_process_that_started_them_is_killed(folder: Path) -> None:
    (folder / "en-gl.tsv").write_text("source\ttarget\nhouse\tcasa\n")
    arguments = [str(folder / "en-gl.tsv"), "--workers", "2"]
    shared = folder / "shared"
    shared.mkdir()
    with serving(*arguments, log=folder / "orphans", TMPDIR=str(shared)) as server:
        wait_for(lambda: len(server.workers()) == 2)
        workers = server.workers()
        server.process.kill()
        server.process.wait()
        wait_for(lambda: not any(_runs(process) for process in workers))
    assert list(shared.glob("bilex-serve-*")) == []


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
