"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real vectors and dictionaries; it must be there in CI."""
    if SHARED_DATA.is_dir():
        return SHARED_DATA
    message = f"real data not found at {SHARED_DATA}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
