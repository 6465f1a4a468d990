"""One request to a server: its headers, its response, and which failures may be retried.

Only http and https are used, also after redirects, and no redirect from https to http is followed.
Proxies are taken from the environment (`https_proxy`, `no_proxy`), certificates from the system.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPMessage
from typing import IO, Protocol, Self, cast
from urllib.parse import urlsplit

from bilex.errors import DownloadError
from bilex.storage.version import __version__

OK, PARTIAL, RANGE_NOT_SATISFIABLE = 200, 206, 416
_GONE, _REFUSED, _FOR_NOW = (404, 410), (401, 403, 407), (408, 425, 429, 500, 502, 503, 504)
_RANGE = re.compile(r"bytes (?:(?P<start>\d{1,18})-\d{1,18}|\*)/(?P<total>\d{1,18})")
_MOST_SECONDS = 60
"""Longest wait that a server may request."""


class TryAgain(Exception):
    """An attempt failed for a reason that may be temporary.

    Attributes:
        reason: The reason, for the user.
        wait: Seconds to wait as requested by the server; None if it requested nothing.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.wait = reason, wait


class Body(Protocol):
    """The body of a response, read as it arrives."""

    def read1(self, n: int = -1, /) -> bytes:
        """Return the bytes that have arrived, at most n; empty at the end."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


@dataclass(frozen=True, slots=True)
class Version:
    """The headers that identify one version of a remote file."""

    etag: str | None = None
    last_modified: str | None = None

    @classmethod
    def of(cls, headers: Message) -> Self:
        """Return the version in the headers of a response."""
        return cls(headers.get("ETag"), headers.get("Last-Modified"))

    @property
    def condition(self) -> str | None:
        """Return a value for If-Range; None if no header identifies the version."""
        if self.etag is not None and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified

    def differs(self, other: Version) -> bool:
        """Return whether two versions are certainly different."""
        if self.etag is not None and other.etag is not None:
            return self.etag != other.etag
        times = self.last_modified, other.last_modified
        return None not in times and times[0] != times[1]


@dataclass(frozen=True, slots=True)
class Answer:
    """The part of a remote file that a server sends.

    Attributes:
        start: Position of its first byte in the file.
        total: Size of the whole file; None if the server does not report it.
        version: Version of the file.
        body: The bytes; None if there is nothing after `start`.
        has_end: Whether the end of the file can be distinguished from a broken connection.
    """

    start: int
    total: int | None
    version: Version
    body: Body | None
    has_end: bool = True


def request(address: str, *, start: int, version: Version, timeout: float) -> Answer:
    """Request a file from byte `start` on if it still has the given version, else all of it.

    Raises:
        DownloadError: If the request failed and a retry cannot help.
        TryAgain: If the request failed and a retry may help.
    """
    headers = {"User-Agent": f"bilex/{__version__}", "Accept-Encoding": "identity"}
    if start and version.condition is not None:
        headers |= {"Range": f"bytes={start}-", "If-Range": version.condition}
    try:
        reply = _opener().open(urllib.request.Request(address, headers=headers), timeout=timeout)  # noqa: S310
    except urllib.error.HTTPError as problem:
        with problem:
            return _error_answer(address, problem)
    except DownloadError:
        raise
    except urllib.error.URLError as problem:
        raise _unreachable(address, problem.reason) from None
    except (OSError, http.client.HTTPException) as problem:
        raise _unreachable(address, problem) from None
    except (ValueError, OverflowError) as problem:  # an address that a server redirects to
        raise DownloadError(
            f"{host(address)} redirects to an address that is not valid ({problem})"
        ) from None
    try:
        return _answer(address, reply)
    except BaseException:
        reply.close()
        raise


def host(address: str) -> str:
    """Return the name of the server in an address."""
    return urlsplit(address).netloc.rpartition("@")[2]


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to http and https, never from https to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the next request."""
        scheme = urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            raise DownloadError(
                f"{host(req.full_url)} redirects to {newurl}, which is not a safe address (https): "
                "correct the address in a catalog of your own (--catalog)"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener for http and https only; the default one also opens files and FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


def _answer(address: str, reply: http.client.HTTPResponse) -> Answer:
    headers, version = reply.headers, Version.of(reply.headers)
    encoding = headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise DownloadError(
            f"{host(address)} sent {address} encoded as {encoding}, which was not requested"
        )
    if headers.get_content_type() == "text/html" and "text/html" in headers.get("Content-Type", ""):
        raise DownloadError(
            f"{host(address)} sent a web page instead of the file: log in to the network if it "
            f"requires that, or open {address} in a browser to see why"
        )
    body = cast(Body, reply)
    if reply.status == PARTIAL:
        found = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if found is None or found["start"] is None:
            raise TryAgain("the server did not report which part of the file it sent")
        return Answer(int(found["start"]), int(found["total"]), version, body)
    if reply.status != OK:
        raise DownloadError(f"{host(address)} answered {reply.status} {reply.reason}: {address}")
    length = headers.get("Content-Length", "")
    if re.fullmatch(r"\d{1,18}", length):
        return Answer(0, int(length), version, body)
    chunked = headers.get("Transfer-Encoding", "").lower() == "chunked"
    return Answer(0, None, version, body, has_end=chunked)


def _error_answer(address: str, problem: urllib.error.HTTPError) -> Answer:
    status = f"{problem.code} {problem.reason}".strip()
    if problem.code == RANGE_NOT_SATISFIABLE:
        found = _RANGE.fullmatch(problem.headers.get("Content-Range", ""))
        if found is None:
            raise TryAgain("the file on the server is shorter than the received part")
        total = int(found["total"])
        return Answer(total, total, Version.of(problem.headers), None)
    if problem.code in _FOR_NOW:
        seconds = problem.headers.get("Retry-After", "")
        wait = min(float(seconds), _MOST_SECONDS) if re.fullmatch(r"\d{1,9}", seconds) else None
        raise TryAgain(f"{host(address)} answered {status}", wait)
    if problem.code in _GONE:
        raise DownloadError(
            f"{host(address)} has no such file ({status}): {address}; if it has moved, give its "
            "address in a catalog of your own (--catalog)"
        )
    if problem.code in _REFUSED:
        raise DownloadError(f"{host(address)} refuses access ({status}): {address}")
    raise DownloadError(f"{host(address)} answered {status}: {address}")


def _unreachable(address: str, reason: object) -> Exception:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return DownloadError(
            f"the certificate of {host(address)} cannot be verified ({reason.verify_message}): "
            "check the clock of this computer; behind a proxy that decrypts connections, set "
            "SSL_CERT_FILE to its certificate"
        )
    if isinstance(reason, TimeoutError):
        return TryAgain("no answer in time")
    if isinstance(reason, socket.gaierror):
        return Unreachable("unknown host name (no network?)")
    if isinstance(reason, ConnectionRefusedError):
        return Unreachable("connection refused")
    text = str(getattr(reason, "strerror", None) or reason or type(reason).__name__)
    return TryAgain(text)


class Unreachable(TryAgain):
    """The server cannot be reached; a retry helps only if it was reachable before."""
