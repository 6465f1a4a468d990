"""Limits on the number of requests, which hold for all workers of a server together."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import math
import mmap
import os
import re
import secrets
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bilex.errors import SettingError

try:
    import fcntl
except ImportError:  # Windows, where there is one worker
    fcntl = None  # type: ignore[assignment]

_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_RATE = re.compile(rf"(\d{{1,9}})\s*/\s*({'|'.join(_UNITS)})")
_MOST = 1_000_000
_COUNT, _TIME = struct.Struct("=Q"), struct.Struct("=d")
_PLACES = 4_096  # for addresses


@dataclass(frozen=True)
class Rate:
    """A number of requests in any span of some seconds."""

    limit: int
    seconds: int

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= _MOST:
            raise SettingError(f"the rate {self} is not possible: allow 1 to {_MOST:,} requests")

    @classmethod
    def of_text(cls, text: str) -> Rate:
        """Return the rate of a text such as 600/minute."""
        found = _RATE.fullmatch(text.strip())
        if found is None:
            raise SettingError(
                f"{text!r} is not a rate: expected a number and second, minute, hour or day, such "
                "as 600/minute"
            )
        return cls(int(found[1]), _UNITS[found[2]])

    def __str__(self) -> str:
        unit = next((name for name, long in _UNITS.items() if long == self.seconds), None)
        return f"{self.limit}/{unit or f'{self.seconds} seconds'}"


class Taken(NamedTuple):
    """The answer to a wish for one more request.

    Attributes:
        allowed: Whether there was room for it.
        left: How many more there is room for now.
        wait: Seconds until there is room for one more than now.
    """

    allowed: bool
    left: int
    wait: float


class Window:
    """The times of the last requests, in a piece of memory that processes share.

    A request is allowed if the one that is `limit` requests older is `seconds` old. So no span of
    `seconds` has more than `limit` requests. The memory is a ring of times after the number of
    requests so far.
    """

    def __init__(self, memory: mmap.mmap, start: int, rate: Rate) -> None:
        self._memory, self._start, self.rate = memory, start, rate

    @staticmethod
    def size(rate: Rate) -> int:
        """Return the bytes that a window needs."""
        return _COUNT.size + rate.limit * _TIME.size

    def take(self, now: float) -> Taken:
        """Take the place of one request, if there is one; the caller holds the lock."""
        rate = self.rate
        (count,) = _COUNT.unpack_from(self._memory, self._start)
        used = self._used(count, now)
        allowed = used < rate.limit
        if allowed:
            # In this order: a process that is killed in between loses one request.
            _TIME.pack_into(self._memory, self._place(count), now)
            count, used = count + 1, used + 1
            _COUNT.pack_into(self._memory, self._start, count)
        wait = self._time(count - used) + rate.seconds - now
        return Taken(allowed, rate.limit - used, max(wait, 0.0))

    def _used(self, count: int, now: float) -> int:
        """Return how many of the last requests are younger than the window; they are in order."""
        low, high = max(count - self.rate.limit, 0), count
        while low < high:
            middle = (low + high) // 2
            if now - self._time(middle) >= self.rate.seconds:
                low = middle + 1
            else:
                high = middle
        return count - low

    def _time(self, number: int) -> float:
        return float(_TIME.unpack_from(self._memory, self._place(number))[0])

    def _place(self, number: int) -> int:
        return self._start + _COUNT.size + number % self.rate.limit * _TIME.size


class _Shared:
    """Memory of a file that processes share, and a lock on it; without a file, of this process."""

    def __init__(self, path: Path | None, size: int) -> None:
        self._file: int | None = None
        if path is None:
            self.memory = mmap.mmap(-1, size)
            return
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._file, size)
        self.memory = mmap.mmap(self._file, size)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out; the lock of a process that is killed is free."""
        if self._file is None or fcntl is None:
            yield
            return
        # Not `flock`, whose locks belong to the parent and its children together.
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)


class Rates:
    """Counts the requests of keys, and the failed ones of addresses. For one thread.

    Args:
        folder: Where workers share the counts; None if there is one worker.
        failures: How many requests without a right key an address may make.
        clock: The time in seconds, the same for all processes.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        failures: Rate = Rate(20, 60),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._failures, self._clock = folder, failures, clock
        self._windows: dict[tuple[str, Rate], tuple[_Shared, Window]] = {}
        self._salt = secrets.token_bytes(16)
        size = Window.size(failures)
        self._addresses = _Shared(self._path("addresses"), _PLACES * size)

    def take(self, key: str, rate: Rate) -> Taken:
        """Take the place of a request of a key."""
        found = self._windows.get((key, rate))
        if found is None:
            name = f"{hashlib.sha256(key.encode()).hexdigest()[:16]}-{rate.limit}-{rate.seconds}"
            shared = _Shared(self._path(name), Window.size(rate))
            found = self._windows[key, rate] = shared, Window(shared.memory, 0, rate)
        shared, window = found
        with shared.locked():
            return window.take(self._clock())

    def fail(self, address: str) -> Taken:
        """Count a request without a right key; addresses may share a place by accident."""
        digest = hashlib.sha256(self._salt + _network(address)).digest()
        place = int.from_bytes(digest[:4], "big") % _PLACES * Window.size(self._failures)
        with self._addresses.locked():
            window = Window(self._addresses.memory, place, self._failures)
            return window.take(self._clock())

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name


def whole_seconds(wait: float) -> int:
    """Return seconds for a header: rounded up, 1 or more."""
    return max(math.ceil(wait), 1)


def _network(address: str) -> bytes:
    """Return what one person has: an address of version 4, or a network of version 6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address.encode(errors="replace")
    return found.packed if found.version == 4 else found.packed[:8]
