"""What tests of the review pages use: forms as a browser would send them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    import httpx2
    from fastapi.testclient import TestClient

    from bilex.review.store import ReviewStore

TOKEN = "a-token-for-tests"  # noqa: S105

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


@dataclass(frozen=True)
class Site:
    """Pages in this process, with the store behind them."""

    client: TestClient
    store: ReviewStore
    csrf: str

    def get(self, address: str, **values: str) -> httpx2.Response:
        return self.client.get(address, params=values or None)

    def post(self, address: str, values: Any, *, part: bool = False) -> httpx2.Response:  # noqa: ANN401
        """Send a form; `values` are fields by name, or pairs where a name is repeated."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if part:
            headers["HX-Request"] = "true"
        return self.client.post(address, content=urlencode(values), headers=headers)

    def question(self, **values: str) -> dict[str, str]:
        """Return the hidden fields of the question on the review page."""
        page = self.get("/review", **values).text
        return hidden_fields(page[page.index('id="decision"') :])

    def decide(self, kind: str = "accept", *, part: bool = False, **fields: Any) -> dict[str, str]:  # noqa: ANN401
        """Decide the next word and return what was sent."""
        sent = self.question() | {"kind": kind} | fields
        assert self.post("/decide", sent, part=part).status_code in (200, 303)
        return sent


@dataclass(frozen=True)
class Served:
    """A running server."""

    address: str
    store: ReviewStore

    @property
    def entrance(self) -> str:
        return f"{self.address}/open?token={TOKEN}"


def hidden_fields(html: str) -> dict[str, str]:
    """Return the hidden fields of a form; of a name that is repeated, the first."""
    found: dict[str, str] = {}
    for name, value in _HIDDEN.findall(html.partition("</form>")[0]):
        found.setdefault(name, unescape(value))
    return found
