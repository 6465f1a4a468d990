"""Fixtures shared by the tests of the benchmark."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

import pytest

cached_entry_points = cache(entry_points)


@pytest.fixture(autouse=True)
def _quick_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look installed plugins up once: a suite asks for them hundreds of times."""
    monkeypatch.setattr("bilex.registry.entry_points", cached_entry_points)
