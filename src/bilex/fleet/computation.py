"""What the work of all stages shares: the head of a result, failures, and the log."""

from __future__ import annotations

import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from bilex.errors import BilexWarning
from bilex.fleet.folder import FleetFolder
from bilex.fleet.tasks import SCHEMA, FleetTask
from bilex.jobs.peak_memory import peak_memory, reset_peak
from bilex.jobs.task import Result, error_of
from bilex.storage.version import __version__

BASE_MEMORY = 512 * 2**20
"""Bytes of Python and torch in a worker."""


def compute(task: FleetTask, folder: FleetFolder, body: Callable[[], Mapping[str, Any]]) -> Result:
    """Return the result of a task: the facts that `body` returns, and what it cost."""
    reset_peak()
    begin, clock, processor = time.time(), time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BilexWarning)  # those of alignments are in their results
        facts = body()
    cost = {
        "seconds": round(time.perf_counter() - clock, 3),
        "processor": round(time.process_time() - processor, 3),
        "peak_memory": peak_memory(),
    }
    _log(task, folder, {"begin": round(begin, 3), **cost})
    return {**_head(task, "done"), **cost, **facts}


def failed_result(task: FleetTask, problem: BaseException) -> Result:
    """Return the result of a task that ended in an error."""
    return {
        **_head(task, "failed"),
        "error": error_of(problem),
    }


def _head(task: FleetTask, status: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "key": task.key,
        "name": task.name,
        "status": status,
        "bilex": __version__,
    }


def _log(task: FleetTask, folder: FleetFolder, cost: Mapping[str, Any]) -> None:
    """Add a line to the log of this process; a process of its own file needs no lock."""
    folder.log.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"name": task.name, "key": task.key, **cost}) + "\n"
    path = folder.log / f"{platform.node()}-{os.getpid()}.jsonl"
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(line)
