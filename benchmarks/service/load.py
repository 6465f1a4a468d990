"""Put `bilex serve` under load, and measure it from another process.

    python benchmarks/service/load.py word MODEL --rate 200 --seconds 600 --workers 2
    python benchmarks/service/load.py batch MODEL --rate 2        # 1,000 words a request
    python benchmarks/service/load.py glossary MODEL --rate 20    # texts of 2,000 words
    python benchmarks/service/load.py soak MODEL --seconds 3600   # memory, from sample to sample
    python benchmarks/service/load.py kill MODEL --times 5        # kill -9 of a worker
    python benchmarks/service/load.py swap MODEL --times 10       # the model folder is replaced
    python benchmarks/service/load.py drain MODEL                 # SIGTERM
    python benchmarks/service/load.py memory MODEL                # of 1, 2 and 3 workers

Starts the server, unless `--url` names one that is running. Requests are sent at fixed times
however long the answers take, and the time of an answer counts from when its request should have
been sent. The last line is JSON; the exit code is 1 if a request failed that must not fail:

- kill: requests on connections that were made after the kill (others were in flight)
- drain: any, as long as `/readyz` says that the server is ready
- otherwise: any

Linux only: memory is PSS, in which a page that several processes share counts once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from bilex.storage.files import writing

MODES = ("word", "batch", "glossary", "soak", "kill", "swap", "drain", "memory")
BODIES = 400  # different requests
PATIENCE = 60.0  # seconds for the start and for the last answers
BETWEEN_SAMPLES = 5.0  # seconds
DRAIN = 2.0  # seconds
HTTP_OK, HTTP_UNAVAILABLE = 200, 503


class Connection(asyncio.Protocol):
    """A connection with one request at a time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._buffer = bytearray()
        self._answer: asyncio.Future[int] | None = None
        self.transport: asyncio.Transport | None = None
        self.is_open = False
        self.made = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.is_open = transport, True

    def send(self, request: bytes) -> asyncio.Future[int]:
        """Send a request; the result is the status of the answer."""
        assert self.transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        """Take a part of an answer."""
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0 or self._answer is None:
            return
        lines = bytes(self._buffer[:head]).lower().split(b"\r\n")
        headers = dict(line.split(b": ", 1) for line in lines[1:])
        if len(self._buffer) < head + 4 + int(headers.get(b"content-length", b"0")):
            return
        answer, self._answer = self._answer, None
        self._buffer.clear()
        if headers.get(b"connection") == b"close" and self.transport is not None:
            self.is_open = False
            self.transport.close()
        if not answer.done():
            answer.set_result(int(lines[0].split(b" ")[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the request that waits for an answer fail."""
        self.is_open = False
        self._client.free.discard(self)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(LostConnectionError(self.made))


@dataclass
class Client:
    """Sends requests to an address over as many connections as are needed."""

    host: str
    port: int
    free: set[Connection] = field(default_factory=set)

    async def ask(self, request: bytes) -> int:
        """Send a request and return the status of the answer."""
        connection = await self._connection()
        status = await connection.send(request)
        if connection.is_open:
            self.free.add(connection)
        return status

    async def _connection(self) -> Connection:
        while self.free:
            connection = self.free.pop()
            if connection.is_open:
                return connection
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(lambda: Connection(self), self.host, self.port)
        return made


class Failure(NamedTuple):
    """A request that was not answered as it should be.

    Attributes:
        what: What happened.
        lost: When its connection was made, if that broke; None otherwise.
        ended: When it failed.
    """

    what: str
    lost: float | None
    ended: float


class LostConnectionError(ConnectionError):
    """A connection broke while it waited for an answer."""

    def __init__(self, made: float) -> None:
        self.made = made


@dataclass
class Load:
    """What happened to the requests."""

    seconds: list[float] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    sent: int = 0
    is_stopped: bool = False
    samples: list[int] = field(default_factory=list)  # kB

    def figures(self, duration: float) -> dict[str, object]:
        """Return numbers and times."""
        times = sorted(self.seconds)

        def at(share: float) -> float | None:
            return (
                round(1000 * times[min(int(share * len(times)), len(times) - 1)], 2)
                if times
                else None
            )

        return {
            "requests": self.sent,
            "rate": round(self.sent / duration, 1),
            "errors": dict(Counter(one.what for one in self.failures)),
            "p50_ms": at(0.5),
            "p95_ms": at(0.95),
            "p99_ms": at(0.99),
            "max_ms": at(1.0),
        }


class Server:
    """A running `bilex serve`."""

    def __init__(self, arguments: list[str], log: Path, **environment: str) -> None:
        self.log = log
        command = [str(Path(sys.executable).with_name("bilex")), "serve", *arguments, "--port", "0"]
        start = time.monotonic()
        with log.open("w") as errors:
            self.process = subprocess.Popen(  # noqa: S603
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | environment,
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise SystemExit(f"{log.read_text()}\nended with {self.process.wait()}")
        while status_of(f"{self.url}/readyz") != HTTP_OK:
            if time.monotonic() - start > PATIENCE:
                self.process.kill()
                raise SystemExit(f"the server is not ready:\n{log.read_text()}")
            time.sleep(0.02)
        self.seconds_to_ready = time.monotonic() - start

    def workers(self) -> list[int]:
        """Return the processes below the first one."""
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(one) for one in task.read_text().split()]

    def memory(self) -> dict[int, int]:
        """Return the PSS of each process in kB."""
        return {one: pss(one) for one in (self.process.pid, *self.workers())}

    def swaps_seen(self) -> int:
        """Return how often a worker has taken over a new model."""
        return self.log.read_text().count('"message": "load is served')

    def stop(self) -> float:
        """Return the seconds until it has ended after SIGTERM."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=PATIENCE)
        return time.monotonic() - start


def pss(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return int(error.code)
    except OSError:
        return 0


def requests_of(mode: str, model: Path, host: str, rng: random.Random) -> list[bytes]:
    """Return different requests with words of the model, frequent ones more often."""
    words = (model / "source.txt").read_text(encoding="utf-8").split("\n")[:-1]
    pair = "load"

    def some(number: int) -> list[str]:
        return [words[min(int(rng.paretovariate(0.3)), len(words)) - 1] for _ in range(number)]

    made = []
    for _ in range(BODIES if mode != "batch" else BODIES // 10):
        if mode == "glossary":
            path, content = "/v1/glossary", {"pair": pair, "text": " ".join(some(2_000))}
        else:
            wanted = rng.choices(words, k=1_000) if mode == "batch" else [rng.choice(words)]
            path, content = "/v1/translate", {"pair": pair, "words": wanted}  # type: ignore[dict-item]
        body = json.dumps(content).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        made.append(head.encode() + body)
    return made


async def send_at_rate(
    load: Load, client: Client, requests: list[bytes], rate: float, seconds: float
) -> None:
    """Send requests at fixed times, until the time is over or the load is stopped."""
    running: set[asyncio.Task[None]] = set()
    start = time.monotonic()

    async def one(request: bytes, due: float) -> None:
        try:
            status = await asyncio.wait_for(client.ask(request), PATIENCE)
        except (OSError, TimeoutError) as error:
            made = error.made if isinstance(error, LostConnectionError) else None
            load.failures.append(Failure(type(error).__name__, made, time.monotonic()))
            return
        load.seconds.append(time.monotonic() - due)
        if status != HTTP_OK:
            load.failures.append(Failure(f"status {status}", None, time.monotonic()))

    while not load.is_stopped:
        due = start + load.sent / rate
        if due > start + seconds:
            break
        await asyncio.sleep(max(due - time.monotonic(), 0))
        task = asyncio.create_task(one(requests[load.sent % len(requests)], due))
        load.sent += 1
        running.add(task)
        task.add_done_callback(running.discard)
    if running:
        await asyncio.wait(running)


async def run(
    load: Load,
    url: str,
    requests: list[bytes],
    rate: float,
    seconds: float,
    disturb: Callable[[], Iterator[float]] | None,
) -> None:
    """Send requests while `disturb` does something, and waits as long as it yields."""
    address = urlsplit(url)
    client = Client(address.hostname or "", address.port or 80)

    async def disturbing() -> None:
        for wait in disturb() if disturb is not None else ():
            await asyncio.sleep(wait)

    await asyncio.gather(send_at_rate(load, client, requests, rate, seconds), disturbing())
    for connection in list(client.free):
        if connection.transport is not None:
            connection.transport.close()


@contextmanager
def served(chosen: argparse.Namespace, workers: int, **environment: str) -> Iterator[Server]:
    """Serve a model whose files are shared with the given one, so that it can be replaced."""
    with tempfile.TemporaryDirectory(dir=chosen.model.resolve().parent) as name:
        folder = Path(name) / "load"
        copy_model(chosen.model, folder)
        config = Path(name) / "serve.toml"
        config.write_text(
            '[[pairs]]\nname = "load"\nsource = "en"\ntarget = "es"\n'
            f"model = {json.dumps(str(folder))}\n"
        )
        arguments = ["--config", str(config), "--workers", str(workers)]
        server = Server(arguments, Path(name) / "log", **environment)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()


def copy_model(model: Path, folder: Path) -> None:
    """Copy a model; large files are linked."""
    with writing(folder) as part:
        shutil.copytree(model, part, copy_function=os.link)
        manifest = part / "manifest.json"
        text = manifest.read_bytes()
        manifest.unlink()
        manifest.write_bytes(text)


def kills(
    server: Server, load: Load, times: int, seconds: float, at: list[float]
) -> Iterator[float]:
    for _ in range(times):
        yield seconds / (times + 1)
        at.append(time.monotonic())
        os.kill(random.choice(server.workers()), signal.SIGKILL)  # noqa: S311


def swaps(server: Server, load: Load, model: Path, times: int, seconds: float) -> Iterator[float]:
    """Replace the model again and again; each time, all workers have to take it over."""
    folder, number = server.log.parent / "load", len(server.workers()) or 1
    for done in range(times):
        yield seconds / (times + 1)
        copy_model(model, folder)
        while server.swaps_seen() < (done + 1) * number:
            yield 0.1
    yield seconds / (times + 1)
    load.is_stopped = True


def drains(server: Server, load: Load, seconds: float, ended: list[float]) -> Iterator[float]:
    yield seconds / 2
    server.process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    while status_of(f"{server.url}/readyz") == HTTP_OK:
        yield 0.05
    load.is_stopped = True
    while server.process.poll() is None:
        yield 0.05
    ended.append(time.monotonic() - begin)


def samples(server: Server, load: Load, seconds: float) -> Iterator[float]:
    end = time.monotonic() + seconds
    while time.monotonic() < end - BETWEEN_SAMPLES:
        yield BETWEEN_SAMPLES
        load.samples.append(sum(server.memory().values()))


def measure_memory(chosen: argparse.Namespace) -> dict[str, object]:
    totals: dict[str, object] = {}
    for workers in (1, 2, 3):
        with served(chosen, workers) as server:
            idle = sum(server.memory().values())
            for mode, rate in (("word", chosen.rate), ("glossary", 5.0)):
                requests = requests_of(mode, chosen.model, "localhost", random.Random(1))  # noqa: S311
                asyncio.run(run(Load(), server.url, requests, rate, chosen.seconds / 6, None))
            found = server.memory()
            totals[str(workers)] = {
                "seconds_to_ready": round(server.seconds_to_ready, 2),
                "idle_mb": round(idle / 1024, 1),
                "used_mb": round(sum(found.values()) / 1024, 1),
                "each_mb": [round(one / 1024, 1) for one in found.values()],
            }
    return totals


def measure(
    chosen: argparse.Namespace, server: Server | None, url: str
) -> tuple[dict[str, object], bool]:
    mode, seconds, load = chosen.mode, chosen.seconds, Load()
    moments: list[float] = []
    disturb: Callable[[], Iterator[float]] | None = None
    if server is not None:
        before = server.memory()
        disturb = {
            "kill": lambda: kills(server, load, chosen.times, seconds, moments),
            "swap": lambda: swaps(server, load, chosen.model, chosen.times, seconds),
            "drain": lambda: drains(server, load, seconds, moments),
            "soak": lambda: samples(server, load, seconds),
        }.get(mode)
    requests = requests_of(mode, chosen.model, urlsplit(url).netloc, random.Random(chosen.seed))  # noqa: S311
    begin, processor = time.monotonic(), time.process_time()
    longest = seconds if mode != "swap" else seconds + chosen.times * PATIENCE
    asyncio.run(run(load, url, requests, chosen.rate, longest, disturb))
    duration = time.monotonic() - begin
    figures = load.figures(duration) | {
        "load_cpu": round((time.process_time() - processor) / duration, 3)
    }
    is_good = not load.failures
    if server is None:
        return figures, is_good
    if mode != "drain" and server.process.poll() is not None:
        print(server.log.read_text()[-3_000:], file=sys.stderr)
        raise SystemExit(f"the server has ended with {server.process.returncode}")
    figures |= {"seconds_to_ready": round(server.seconds_to_ready, 2), "workers": chosen.workers}
    figures["memory_mb"] = [round(sum(before.values()) / 1024, 1)]
    if mode == "kill":
        # In flight: on a connection that was made before a kill, and broke then.
        later = [
            one
            for one in load.failures
            if one.lost is None or not any(one.lost <= at <= one.ended for at in moments)
        ]
        figures |= {"kills": len(moments), "failed_later": len(later)}
        is_good = not later
    if mode == "swap":
        figures["swaps_seen"] = server.swaps_seen()
    if mode == "drain":
        figures["seconds_to_end"] = [round(one, 2) for one in moments]
    else:
        figures["memory_mb"] += [round(sum(server.memory().values()) / 1024, 1)]  # type: ignore[operator]
    if load.samples:
        figures["samples_mb"] = [round(one / 1024, 1) for one in load.samples]
    return figures, is_good


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("model", type=Path)
    parser.add_argument("--rate", type=float, default=None, help="requests a second")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--times", type=int, default=10, help="kills or swaps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", default=None, help="of a server that is running")
    chosen = parser.parse_args()
    if chosen.rate is None:
        chosen.rate = {"batch": 2.0, "glossary": 20.0, "soak": 100.0}.get(chosen.mode, 200.0)
    if chosen.mode == "memory":
        print(json.dumps({"mode": "memory", **measure_memory(chosen)}))
        return 0
    if chosen.url is not None:
        figures, is_good = measure(chosen, None, chosen.url)
    else:
        drain = {"BILEX_SERVE_DRAIN_SECONDS": str(DRAIN)} if chosen.mode == "drain" else {}
        with served(chosen, chosen.workers, **drain) as server:
            figures, is_good = measure(chosen, server, server.url)
    print(json.dumps({"mode": chosen.mode, "seconds": chosen.seconds, **figures}))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
