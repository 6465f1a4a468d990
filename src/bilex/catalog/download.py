"""Download files: resumed where they stopped, verified, and in place only when complete."""

from __future__ import annotations

import hashlib
import http.client
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bilex.catalog.entry import RemoteFile
from bilex.catalog.manifest import recorded_hash, write_manifest
from bilex.catalog.partial import PartialFile, partial_file
from bilex.catalog.transfer import Body, TryAgain, Unreachable, host, request
from bilex.errors import DownloadError
from bilex.storage.hashes import sha256_of

OnProgress = Callable[[int, int | None], None]
"""Called with the bytes received and the total; None if the server does not report it."""

OnNote = Callable[[str], None]
"""Called with messages for the user, such as a note about a new attempt."""

_CHUNK = 2**18
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait for a server.

    Attributes:
        timeout: Seconds without a byte until a connection counts as broken.
        tries: Attempts in a row without any new bytes before the download fails.
        wait: Seconds before the second attempt; doubled before each further one.
    """

    timeout: float = 30.0
    tries: int = 5
    wait: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """A file that is in its place.

    Attributes:
        path: Where.
        bytes: Its size.
        sha256: Hash of its bytes; None if it existed before and was not checked.
        is_new: Whether it was downloaded just now.
    """

    path: Path
    bytes: int
    sha256: str | None
    is_new: bool


def download(
    file: RemoteFile,
    target: Path | str,
    on_progress: OnProgress | None = None,
    *,
    on_note: OnNote | None = None,
    patience: Patience | None = None,
) -> Downloaded:
    """Download a file, or continue where an earlier run stopped.

    The file gets its name when it is complete and its size and hashes are correct; until then it
    is `NAME.part`. A manifest beside it records where it is from.

    Args:
        file: What to download, from `find`.
        target: A file, or an existing folder.
        on_progress: Called when bytes arrive.
        on_note: Called with messages.
        patience: How long to wait for the server.

    Raises:
        DownloadError: If that is not possible; the message says what to do.

    Example:
        >>> download(find("fasttext-crawl", language="fi"), "vectors/")  # doctest: +SKIP
    """
    path = place(file, target)
    if path.exists():
        return _existing(file, path)
    note = on_note or (lambda message: None)
    on_progress = on_progress or (lambda done, total: None)

    def waits() -> None:
        note(f"another process is downloading {path.name}: waiting for it")

    with partial_file(path, file.address, waits) as part:
        if path.exists():  # the other process has completed it
            return _existing(file, path)
        if part.size:
            note(f"{path.name}: continuing after {readable(part.size)}")
        _fetch(file, path, part, on_progress, note, patience or Patience())
        found = _check(file, part)
        write_manifest(path, file, part.version, found)
        part.path.replace(path)
    return Downloaded(path=path, bytes=part.size, sha256=found, is_new=True)


def place(file: RemoteFile, target: Path | str) -> Path:
    """Return where a file is saved, given a folder or a file."""
    path = Path(target)
    return path / file.name if path.is_dir() or str(target).endswith(("/", "\\")) else path


def readable(size: int) -> str:
    """Return a size as text, such as 1.3 GB."""
    number, unit = float(size), "bytes"
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.1f} {unit}" if unit != "bytes" and number < 100 else f"{number:,.0f} {unit}"


def _existing(file: RemoteFile, path: Path) -> Downloaded:
    """Return an existing file; raise if its size or hash is not the expected one."""
    if not path.is_file():
        raise DownloadError(f"{path} is not a file: give another place with -o")
    recorded = recorded_hash(path, file.address)
    found = None
    if (recorded, file.bytes, file.sha256, file.md5) != (None,) * 4:
        found = sha256_of(path)
        problem = _difference(replace(file, sha256=file.sha256 or recorded), path, found)
        if problem is not None:
            raise DownloadError(
                f"{path} exists, but {problem}: remove it to download it again, or give another "
                "place with -o"
            )
    return Downloaded(path=path, bytes=path.stat().st_size, sha256=found, is_new=False)


def _fetch(
    file: RemoteFile,
    path: Path,
    part: PartialFile,
    on_progress: OnProgress,
    note: OnNote,
    patience: Patience,
) -> None:
    """Send requests until the file is complete."""
    failures, most, began = 0, part.size, False
    while not part.is_complete:
        try:
            has_end = _attempt(file, part, on_progress, patience.timeout)
        except TryAgain as problem:
            began = began or part.size > most
            failures = 1 if part.size > most else failures + 1
            most = max(most, part.size)
            if failures >= patience.tries or (isinstance(problem, Unreachable) and not began):
                raise _given_up(file, path, part, problem.reason) from None
            wait = min(patience.wait * 2 ** (failures - 1), _LONGEST_WAIT)
            wait = wait if problem.wait is None else problem.wait
            note(f"{path.name}: {problem.reason}; trying again in {wait:.0f} s")
            time.sleep(wait)
        else:
            if not has_end:
                note(f"{path.name}: the server sent no size, so the file may be incomplete")
            return


def _attempt(file: RemoteFile, part: PartialFile, on_progress: OnProgress, timeout: float) -> bool:
    """Send one request and keep the received bytes; return whether the end of the file is certain.

    Raises:
        TryAgain: If not all bytes arrived.
    """
    answer = request(file.address, start=part.size, version=part.version, timeout=timeout)
    if answer.body is None:
        if part.total is not None or answer.total != part.size:
            part.restart(part.version, None)
            raise TryAgain("the file on the server has changed")
        return True
    with closing(answer.body):
        if answer.start == 0:
            part.restart(answer.version, answer.total)
        elif (
            answer.start != part.size
            or part.total not in (None, answer.total)
            or part.version.differs(answer.version)
        ):
            part.restart(part.version, None)
            raise TryAgain("the file on the server has changed")
        _check_size(file, part)
        _check_room(part)
        on_progress(part.size, part.total)
        _receive(answer.body, part, on_progress)
    if part.total is not None and part.size != part.total:
        raise TryAgain(
            f"the connection ended after {readable(part.size)} of {readable(part.total)}"
        )
    return answer.has_end


def _receive(body: Body, part: PartialFile, on_progress: OnProgress) -> None:
    with part.appending() as append:
        while True:
            try:
                chunk = body.read1(_CHUNK)
            except TimeoutError:
                raise TryAgain(f"nothing more arrived after {readable(part.size)}") from None
            except (OSError, http.client.HTTPException) as problem:
                reason = getattr(problem, "strerror", None) or type(problem).__name__
                raise TryAgain(f"the connection broke ({reason})") from None
            if not chunk:
                return
            append(chunk)
            on_progress(part.size, part.total)


def _check_size(file: RemoteFile, part: PartialFile) -> None:
    if None not in (file.bytes, part.total) and file.bytes != part.total:
        part.path.unlink()
        raise DownloadError(
            f"{host(file.address)} has a file of {part.total:,} bytes at {file.address}, but the "
            f"catalog says {file.bytes:,}: it has changed, or is not the right one; see {file.page}"
        )


def _check_room(part: PartialFile) -> None:
    if part.total is None:
        return
    free, needed = shutil.disk_usage(part.path.parent).free, part.total - part.size
    if free < needed:
        if not part.size:
            part.path.unlink()
        raise DownloadError(
            f"{part.path.parent} has {readable(free)} free, but {readable(needed)} are needed: "
            "make room, or give another place with -o"
        )


def _check(file: RemoteFile, part: PartialFile) -> str:
    """Return the SHA-256 of a complete file, after a check of its published size and hashes."""
    part.finish()
    found = sha256_of(part.path)
    problem = _difference(file, part.path, found)
    if problem is not None:
        part.path.unlink()
        raise DownloadError(
            f"the file from {file.address} {problem}; it was removed. It may have changed: see "
            f"{file.page}"
        )
    return found


def _difference(file: RemoteFile, path: Path, sha256: str) -> str | None:
    """Return how a file differs from the published one; None if it does not."""
    size = path.stat().st_size
    if file.bytes not in (None, size):
        return f"has {size:,} bytes, expected {file.bytes:,}"
    if file.sha256 not in (None, sha256):
        return f"has the SHA-256 {sha256}, expected {file.sha256}"
    if file.md5 is None:
        return None
    with path.open("rb") as bytes_:  # MD5 detects damage, not forgery
        md5 = hashlib.file_digest(bytes_, partial(hashlib.md5, usedforsecurity=False)).hexdigest()
    return None if md5 == file.md5 else f"has the MD5 {md5}, expected {file.md5}"


def _given_up(file: RemoteFile, path: Path, part: PartialFile, reason: str) -> DownloadError:
    if part.size:
        return DownloadError(
            f"{host(file.address)}: {reason}; {readable(part.size)} are kept in {part.path.name}: "
            "run the command again to continue"
        )
    return DownloadError(
        f"cannot reach {host(file.address)}: {reason}; download {file.address} with a browser "
        f"and put it at {path}"
    )
