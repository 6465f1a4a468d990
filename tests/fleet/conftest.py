"""Fixtures shared by the tests of fleets."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

import pytest

cached_entry_points = cache(entry_points)


@pytest.fixture(autouse=True)
def _quick_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look installed plugins up once: many small fleets ask for them hundreds of times."""
    monkeypatch.setattr("bilex.registry.entry_points", cached_entry_points)
