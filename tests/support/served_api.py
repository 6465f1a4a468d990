"""`bilex serve` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60.0  # seconds, for a machine with much else to do
DICTIONARY = "source\ttarget\tprobability\nhouse\tcasa\t0.9\nbread\tpan\t0.8\n"


@dataclass(frozen=True)
class Reply:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)


@dataclass(frozen=True)
class ServedApi:
    """A running server."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def connect(self) -> HTTPConnection:
        return HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)

    def ask(self, path: str, body: object = None, **headers: str) -> Reply:
        """Send a request over a connection of its own."""
        connection = self.connect()
        try:
            return ask(connection, path, body, **headers)
        finally:
            connection.close()

    def translate(self, word: str = "house", **headers: str) -> Reply:
        return self.ask("/v1/translate", {"pair": "en-es", "words": [word]}, **headers)

    def workers(self) -> list[int]:
        """Return the processes that the first one has started."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z":
                found.append(int(path.parent.name))
        return found

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of the log that are JSON."""
        text = self.log.read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def terminate(self) -> float:
        """Send SIGTERM, wait for the end, and return the seconds that it took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return time.monotonic() - start


def ask(connection: HTTPConnection, path: str, body: object = None, **headers: str) -> Reply:
    """Send a request over a connection; `_` in the names of headers stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = None if body is None else json.dumps(body).encode()
    if sent is not None:
        named["Content-Type"] = "application/json"
    connection.request("GET" if sent is None else "POST", path, sent, named)
    answer = connection.getresponse()
    return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())


@contextmanager
def serving(*arguments: str, log: Path, **environment: str) -> Iterator[ServedApi]:
    """Start a server on any free port, and stop it at the end."""
    command = [sys.executable, "-c", "from bilex.cli.app import main; main()", "serve", *arguments]
    with log.open("w") as errors:
        process = subprocess.Popen(  # noqa: S603
            [*command, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | environment,
        )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, log.read_text()
        served = ServedApi(process, url, log)
        wait_for(lambda: served.ask("/readyz").status == 200)
        yield served
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()


def wait_for(condition: Any) -> None:  # noqa: ANN401 - returns something that is true in the end
    """Wait until a condition holds; connections that fail do not matter."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if condition():
                return
        except (OSError, HTTPException):
            pass
        time.sleep(0.05)
    raise AssertionError("waited in vain")
