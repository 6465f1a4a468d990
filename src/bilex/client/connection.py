"""Requests to a service: time-outs, retries, and errors that say what to do."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from bilex.errors import ServiceError, SettingError
from bilex.registry import import_extra
from bilex.storage.version import __version__

if TYPE_CHECKING:
    import httpx

_TRY_AGAIN = frozenset({429, 502, 503, 504})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds before another attempt
_LONGEST_REQUESTED = 60.0  # seconds that a server may ask us to wait
_KEY = re.compile("[!-~]+")


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes


class _TooSlowError(Exception):
    """An answer has not arrived in time."""


class Connection:
    """Sends requests to a service. Thread-safe.

    Attempts that do not reach the service, or that it refuses for the moment (429, 502, 503, 504),
    are repeated, after a time that doubles and is partly random, or after the time that the service
    asks for. All requests only read, so that repeating them does no harm. Redirects are not
    followed: a key goes to no other host.

    Args:
        url: The address of the service, such as http://127.0.0.1:8000.
        key: The key, if the service wants one.
        timeout: Seconds for one attempt.
        retries: Further attempts, at most.

    Raises:
        SettingError: If a setting cannot be used.
        MissingExtraError: If httpx is not installed.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout: float = 30.0, retries: int = 4
    ) -> None:
        if not 0 < timeout < math.inf:
            raise SettingError(f"timeout is {timeout}: give a number of seconds greater than 0")
        if retries < 0:
            raise SettingError(f"retries is {retries}: give 0 or more")
        if key is not None and not _KEY.fullmatch(key):
            raise SettingError("the key has spaces or other characters that no key has: check it")
        self._httpx = import_extra("httpx", "a client of a service needs", extra="client")
        self.url = self._checked(url)
        self._timeout, self._retries = timeout, retries
        headers = {"User-Agent": f"bilex/{__version__}", "Accept": "application/json, text/plain"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self._http: httpx.Client = self._httpx.Client(
            headers=headers, timeout=timeout, follow_redirects=False
        )
        self._random = random.Random()  # noqa: S311 - spreads attempts, protects nothing

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def get(self, path: str, values: Mapping[str, str | int | float | bool] | None = None) -> Any:  # noqa: ANN401 - JSON
        """Return the JSON of an address below that of the service.

        Raises:
            ServiceError: If there is no answer, or it is an error.
        """
        return self._json(self._request("GET", path, values or {}, None))

    def post(self, path: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        """Send JSON, and return that of the answer.

        Raises:
            ServiceError: If there is no answer, or it is an error.
        """
        return self._json(self._request("POST", path, {}, body))

    def post_for_text(self, path: str, body: Mapping[str, object]) -> str:
        """Send JSON, and return an answer that is plain text.

        Raises:
            ServiceError: If there is no answer, or it is an error.
        """
        answer = self._request("POST", path, {}, body)
        with self.reading():
            if not answer.headers.get("content-type", "").startswith("text/plain"):
                raise ValueError
            return answer.content.decode()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise `ServiceError` if an answer is read that does not have the expected form."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ServiceError(
                f"{self.url} sent an answer that is not one of a bilex service of version 1: "
                "check the address",
                code="bad-answer",
            ) from None

    def _checked(self, url: str) -> str:
        expected = "expected an address such as http://127.0.0.1:8000"
        try:
            parts = self._httpx.URL(url)
        except (self._httpx.InvalidURL, TypeError):
            raise SettingError(f"url is {url!r}: {expected}") from None
        if parts.userinfo:  # not repeated: it may hold a password
            raise SettingError("the address has a name or a password in it: give a key instead")
        if parts.scheme not in ("http", "https") or not parts.host:
            raise SettingError(f"url is {url!r}: {expected}")
        if parts.query or parts.fragment:
            raise SettingError(f"url is {url!r}: {expected}, without ? and #")
        return str(parts).rstrip("/")

    def _request(
        self,
        method: str,
        path: str,
        values: Mapping[str, str | int | float | bool],
        body: Mapping[str, object] | None,
    ) -> _Answer:
        if self._http.is_closed:
            raise SettingError("the client was closed: make another one")
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode(errors="replace")
        attempt = 0
        while True:
            wait: float | None
            try:
                answer = self._attempt(method, path, values, content)
            except self._httpx.TransportError as problem:
                failure, wait = self._no_answer(problem), None
                if not _is_connection_error(self._httpx, problem):
                    raise failure from problem
            except (self._httpx.DecodingError, _TooSlowError) as problem:
                raise self._no_answer(problem) from problem
            else:
                if answer.status == 200:
                    return answer
                failure, wait = self._failure(answer), _requested_wait(answer.headers)
                if answer.status not in _TRY_AGAIN:
                    raise failure
            if attempt == self._retries or (wait or 0) > _LONGEST_REQUESTED:
                raise failure
            sleep(self._wait(attempt, wait))
            attempt += 1

    def _attempt(
        self,
        method: str,
        path: str,
        values: Mapping[str, str | int | float | bool],
        content: bytes | None,
    ) -> _Answer:
        end = monotonic() + self._timeout
        headers = {} if content is None else {"Content-Type": "application/json"}
        with self._http.stream(
            method, f"{self.url}{path}", params=values or None, content=content, headers=headers
        ) as response:
            received = []
            for piece in response.iter_bytes():
                received.append(piece)
                if monotonic() > end:  # one that sends a byte now and then
                    raise _TooSlowError
            return _Answer(response.status_code, response.headers, b"".join(received))

    def _wait(self, attempt: int, requested: float | None) -> float:
        """Return the seconds to wait; partly random, so that clients do not come back together."""
        usual = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(attempt, 10))
        if requested is not None:
            return requested + self._random.uniform(0, usual / 4)
        return usual * self._random.uniform(0.5, 1)

    def _json(self, answer: _Answer) -> Any:  # noqa: ANN401
        with self.reading():
            found = json.loads(answer.content)
            if not isinstance(found, dict):
                raise TypeError
            return found

    def _no_answer(self, problem: Exception) -> ServiceError:
        timed_out = isinstance(problem, self._httpx.TimeoutException | _TooSlowError)
        if timed_out and not isinstance(problem, self._httpx.ConnectTimeout):
            message = (
                f"{self.url} did not answer within {self._timeout:g} seconds: send less at once, "
                "or give a longer timeout"
            )
            return ServiceError(message, code="timeout")
        reason = str(problem) or type(problem).__name__
        return ServiceError(
            f"{self.url} cannot be reached ({reason}): check that the service runs and that the "
            "address is right",
            code="unreachable",
        )

    def _failure(self, answer: _Answer) -> ServiceError:
        status = answer.status
        code, message = _problem(answer.content)
        if 300 <= status < 400:
            place = answer.headers.get("location", "another address")
            message = f"redirects to {place}: if this is the service, give that address"
        elif status == 401:
            message = message or "refuses the request without a valid key"
            message += " (a key is given by key=, --key or the variable BILEX_KEY)"
        elif status in (429, 503) and not message:
            wait = _requested_wait(answer.headers)
            when = "later" if wait is None else f"in {math.ceil(wait)} seconds"
            message = f"is too busy: try again {when}"
        elif not message:
            message = (
                f"answered with the status {status}, not as a bilex service: check the address"
            )
        return ServiceError(f"{self.url}: {message}", status=status, code=code or f"http-{status}")


def _is_connection_error(httpx: Any, problem: Exception) -> bool:  # noqa: ANN401 - a module
    if isinstance(problem, httpx.TimeoutException):
        return isinstance(problem, httpx.ConnectTimeout)
    return isinstance(problem, httpx.NetworkError | httpx.RemoteProtocolError | httpx.ProxyError)


def _problem(content: bytes) -> tuple[str, str]:
    """Return the code and the message of an error; empty if it is not one of a bilex service."""
    try:
        problem = json.loads(content)["error"]
        return str(problem["code"]), str(problem["message"])
    except (ValueError, KeyError, TypeError):
        return "", ""


def _requested_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which a server wants to be asked again; None if it says nothing."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch("[0-9]{1,9}", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
