"""Services to ask: a real one, and one with prepared answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fake_service import FakeService, fake_service

if TYPE_CHECKING:
    from running_service import Running


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("BILEX_KEY", raising=False)


@pytest.fixture
def fake() -> Iterator[FakeService]:
    with fake_service() as service:
        yield service


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait between attempts; return the seconds that it would have been."""
    found: list[float] = []
    monkeypatch.setattr("bilex.client.connection.sleep", found.append)
    return found


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """Return a service with en-es, which has probabilities, and de-fr, which has odd words."""
    from running_service import odd_pair, plain_pair, running_service

    with running_service(plain_pair(), odd_pair()) as running:
        yield running
