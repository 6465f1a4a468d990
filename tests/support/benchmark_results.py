"""Comparing the results of benchmark runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bilex.benchmark import ResultStore

VARYING = ("seconds", "peak_memory", "threads")


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """Return all results by key."""
    return {result["key"]: result for result in ResultStore(folder).read()}


def comparable(folder: Path) -> dict[str, str]:
    """Return all results by key, without what differs from run to run."""
    return {
        key: json.dumps({name: value for name, value in found.items() if name not in VARYING})
        for key, found in read(folder).items()
    }
