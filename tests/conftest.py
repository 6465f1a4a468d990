"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from twins import Twins, make_twins

# Tests are small: a second thread only waits, and suffers most where the machine is shared.
torch.set_num_threads(1)

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


@pytest.fixture
def twins() -> Twins:
    return make_twins()
