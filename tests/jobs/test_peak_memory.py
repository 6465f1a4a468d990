"""The memory of a job: of itself where the system can tell, of the process elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from bilex.jobs import peak_memory


def test_the_peak_is_that_of_the_time_since_it_was_reset() -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("needs Linux")
    block = torch.ones(64 * 2**20 // 4)
    high = peak_memory.peak_memory()
    assert high is not None
    assert high > block.nbytes
    del block
    peak_memory.reset_peak()
    low = peak_memory.peak_memory()
    assert low is not None
    assert low < high


def test_elsewhere_it_is_that_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peak_memory, "_STATUS", tmp_path / "none")
    monkeypatch.setattr(peak_memory, "_CLEAR", tmp_path / "no" / "folder")
    peak_memory.reset_peak()
    if sys.platform != "win32":
        found = peak_memory.peak_memory()
        assert found is not None
        assert found > 2**20
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory.peak_memory() is None
