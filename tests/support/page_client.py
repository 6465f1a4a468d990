"""A reviewer's page without a browser: its requests, its forms, and what it does with answers."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from typing import NamedTuple
from urllib.parse import unquote, urlencode

from workbench import hidden_fields

TIMEOUT = 8.0  # seconds, as in the page
STORED = "x-bilex-stored"

_TARGET = re.compile(r'name="target" value="([^"]*)"')
_TOKEN = re.compile(r'data-csrf="([^"]*)"')

Fields = Iterable[tuple[str, str]]


class NoAnswerError(Exception):
    """The server was not reached, or the answer did not arrive."""


class Answer(NamedTuple):
    """What the server sent."""

    status: int
    text: str
    stored: str  # the event that is stored now; empty if the answer names none


@dataclass(frozen=True)
class Card:
    """A question: the hidden fields of its form, and the candidates."""

    fields: Mapping[str, str]
    targets: tuple[str, ...]

    @property
    def word(self) -> str:
        return self.fields["word"]


class PageClient:
    """Sends requests as a page does. Thread-safe."""

    def __init__(self, port: int) -> None:
        self.csrf = ""  # of the last whole page
        self._port = port
        self._cookies: dict[str, str] = {}
        self._is_cut = False
        self._lock = threading.Lock()
        self._open: set[HTTPConnection] = set()

    def get(self, address: str) -> Answer:
        """Open a page."""
        answer = self._request("GET", address)
        token = _TOKEN.search(answer.text)
        if token is not None:
            self.csrf = unescape(token[1])
        return answer

    def post(self, address: str, fields: Fields, *, part: bool = False) -> Answer:
        """Send a form; `part` as htmx does, which replaces a part of the page."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if part:
            headers["HX-Request"] = "true"
        return self._request("POST", address, urlencode(list(fields)), headers)

    def sign_in(self, name: str, password: str) -> None:
        """Open the sign-in page, and fill in and send the form."""
        page = self.get("/login").text
        fields = hidden_fields(page[page.index('action="/login"') :])
        answer = self.post("/login", [*fields.items(), ("name", name), ("password", password)])
        if answer.status != 303:
            raise NoAnswerError(f"sign-in of {name}: {answer.status}")

    def cut(self) -> None:
        """Cut the network: requests fail, and so do those that wait for an answer."""
        with self._lock:
            self._is_cut = True
            waiting = [each.sock for each in self._open if each.sock is not None]
        for each in waiting:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def reconnect(self) -> None:
        """Let requests through again."""
        self._is_cut = False

    def _request(
        self,
        method: str,
        address: str,
        body: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
        with self._lock:
            if self._is_cut:
                raise NoAnswerError("no network")
            self._open.add(connection)
            cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        try:
            connection.request(
                method, address, body, {"Connection": "close", "Cookie": cookies, **(headers or {})}
            )
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, HTTPException) as problem:
            raise NoAnswerError(type(problem).__name__) from problem
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()
        for name, morsel in SimpleCookie(", ".join(answer.msg.get_all("set-cookie", []))).items():
            self._cookies[name] = morsel.value
        return Answer(answer.status, text, unquote(answer.msg.get(STORED, "")))


def read_card(html: str) -> Card | None:
    """Return the question of a page or a part of one; None if no word is waiting."""
    _, found, form = html.partition('id="decision"')
    if not found:
        return None
    inside = form.partition("</form>")[0]
    targets = tuple(map(unescape, _TARGET.findall(inside)))
    return Card(hidden_fields(inside), targets)


def read_spares(html: str) -> list[Card]:
    """Return the questions that a page keeps for the time without a connection."""
    cards = (read_card(each) for each in html.split('<template class="spare">')[1:])
    return [card for card in cards if card is not None]


def read_undo(html: str) -> dict[str, str]:
    """Return the fields of the form that undoes the last action; empty if there is none."""
    _, found, form = html.partition('action="/undo"')
    return hidden_fields(form) if found else {}
