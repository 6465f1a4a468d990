"""The received part of a download, `NAME.part`, so that the next run can continue.

Beside it, `NAME.part.json` holds the address and the version of the file on the server. That file
is locked while a process downloads; the system releases the lock however the process ends.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bilex.catalog.transfer import Version
from bilex.errors import DownloadError

_SECONDS_BETWEEN_LOOKS = 0.1
_FULL = (errno.ENOSPC, errno.EDQUOT)

if sys.platform == "win32":
    import msvcrt

    _BUSY = (errno.EACCES, errno.EDEADLK)

    def _lock(file: IO[Any]) -> None:
        file.seek(2**30)  # beyond the content, which stays readable
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    _BUSY = (errno.EAGAIN, errno.EACCES)

    def _lock(file: IO[Any]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class PartialFile:
    """The first bytes of a remote file, and which version of it they are from.

    Attributes:
        path: Of the bytes.
        size: How many there are.
        version: Of the remote file.
        total: Size of the whole remote file; None if it is not known.
    """

    def __init__(self, path: Path, notes: IO[str], address: str) -> None:
        self.path, self._notes, self._address = path, notes, address
        self.size, self.version = 0, Version()
        self.total: int | None = None
        self._resume()

    def _resume(self) -> None:
        """Continue with the bytes of an earlier run, if they are from the same address."""
        try:
            self._notes.seek(0)
            found = json.load(self._notes)
            size = self.path.stat().st_size
        except (ValueError, RecursionError, OSError):
            return
        if not isinstance(found, dict) or found.get("address") != self._address:
            return
        version = Version(_text(found.get("etag")), _text(found.get("last_modified")))
        total = found.get("total")
        total = total if isinstance(total, int) else None
        if version.condition is not None and (total is None or size <= total):
            self.size, self.version, self.total = size, version, total

    @property
    def is_complete(self) -> bool:
        """Return whether all bytes are there; False if the total is unknown."""
        return self.total is not None and self.size == self.total

    def restart(self, version: Version, total: int | None) -> None:
        """Discard all bytes; the next ones are from the start of this version."""
        self.path.write_bytes(b"")
        self.size, self.version, self.total = 0, version, total
        record = {
            "address": self._address,
            "etag": version.etag,
            "last_modified": version.last_modified,
            "total": total,
        }
        self._notes.seek(0)
        self._notes.truncate()
        json.dump(record, self._notes)
        self._notes.flush()

    @contextmanager
    def appending(self) -> Iterator[Callable[[bytes], None]]:
        """Yield a function that adds bytes, which are on disk when it returns.

        Raises:
            DownloadError: If the disk is full.
        """
        with self.path.open("ab", buffering=0) as file:

            def append(chunk: bytes) -> None:
                left = memoryview(chunk)
                try:
                    while left:
                        written = file.write(left)
                        self.size += written
                        left = left[written:]
                except OSError as problem:
                    raise _full(self.path, problem) from None

            yield append

    def finish(self) -> None:
        """Make sure that the bytes survive a power failure."""
        with self.path.open("rb+") as file:
            os.fsync(file.fileno())


@contextmanager
def partial_file(
    target: Path, address: str, on_wait: Callable[[], None] | None = None
) -> Iterator[PartialFile]:
    """Yield the received part of a download, as soon as no other process works on it.

    Args:
        target: Where the whole file will be.
        address: Where it is from.
        on_wait: Called once if another process has to finish first.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    bytes_path = target.with_name(f"{target.name}.part")
    notes_path = target.with_name(f"{target.name}.part.json")
    notes = _locked(notes_path, on_wait)
    try:
        yield PartialFile(bytes_path, notes, address)
    finally:
        if not bytes_path.exists():  # moved into its place, or removed: nothing to continue with
            _remove_open(notes_path, notes)
        notes.close()


def _locked(path: Path, on_wait: Callable[[], None] | None) -> IO[str]:
    notified = False
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except OSError as problem:
            file.close()
            if problem.errno not in _BUSY:
                raise DownloadError(
                    f"{path} cannot be locked ({problem.strerror}): choose a folder on another "
                    "disk with -o"
                ) from None
            if not notified and on_wait is not None:
                on_wait()
            notified = True
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            continue
        if _is_at(file, path):
            return file
        file.close()  # the process that had the lock has removed the file: try again


def _is_at(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _remove_open(path: Path, file: IO[str]) -> None:
    """Remove a locked file: before it is unlocked, except where open files cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        file.close()
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _full(path: Path, problem: OSError) -> OSError:
    if problem.errno not in _FULL:
        return problem
    return DownloadError(
        f"{path.parent}: the disk is full; what has arrived is kept in {path.name}: make room and "
        "run the command again to continue"
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
