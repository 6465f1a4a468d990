"""How far a fleet is, from the files in its folder; without torch, so that it answers at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bilex.fleet.folder import STAGES, FleetFolder

ListedTask = tuple[str, str, list[str]]
"""In `fleet.json`: the name of a task, its key, and the keys of those that it needs."""

RECENT_SECONDS = 600.0
"""The rate is that of the tasks which ended in this time before the last one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that failed, and why."""

    task: str
    error: str
    file: Path


@dataclass(frozen=True, slots=True)
class StageStatus:
    """How far a stage is."""

    stage: str
    total: int
    done: int
    failures: tuple[Failure, ...]
    blocked: int  # tasks that need the result of one that failed
    warnings: tuple[tuple[str, str], ...]  # of alignments: the task and what it says
    per_minute: float | None  # None with fewer than two finished tasks
    last: float | None  # when the last task ended, in seconds since 1970

    @property
    def missing(self) -> int:
        """Return the number of tasks that can still be done."""
        return self.total - self.done - len(self.failures) - self.blocked

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "stage": self.stage,
            "total": self.total,
            "done": self.done,
            "failed": len(self.failures),
            "blocked": self.blocked,
            "missing": self.missing,
            "per_minute": self.per_minute,
            "seconds_since_last": None if self.last is None else round(time.time() - self.last, 1),
            "failures": [
                {"task": each.task, "error": each.error, "file": str(each.file)}
                for each in self.failures
            ],
            "warnings": [{"task": task, "warning": text} for task, text in self.warnings],
        }


def fleet_status(output: Path) -> list[StageStatus]:
    """Return how far each stage is.

    Raises:
        InputFileError: If the folder is not that of a fleet.
    """
    folder = FleetFolder(output)
    stages: Mapping[str, list[ListedTask]] = folder.read_contents()["stages"]
    unreachable: set[str] = set()
    return [_status(folder, stage, stages[stage], unreachable) for stage in STAGES]


def _status(
    folder: FleetFolder, stage: str, tasks: list[ListedTask], unreachable: set[str]
) -> StageStatus:
    """Return how far a stage is; keys that failed or are blocked are added to `unreachable`."""
    store, failures, times, blocked, warnings = folder.store(stage), [], [], 0, []
    found = store.ends()
    for name, key, needs in tasks:
        if key not in found:
            if not unreachable.isdisjoint(needs):
                unreachable.add(key)
                blocked += 1
            continue
        times.append(found[key].time)
        if found[key].status == "failed":
            unreachable.add(key)
            failures.append(Failure(name, _error(store.load(key)), store.path(key)))
        elif stage == "align":
            said = (store.load(key) or {}).get("warnings", ())
            warnings += [(name, text) for text in said]
    return StageStatus(
        stage=stage,
        total=len(tasks),
        done=len(times) - len(failures),
        failures=tuple(failures),
        blocked=blocked,
        warnings=tuple(warnings),
        per_minute=_rate(sorted(times)),
        last=max(times, default=None),
    )


def _rate(ends: list[float]) -> float | None:
    recent = [end for end in ends if end >= ends[-1] - RECENT_SECONDS]
    if len(recent) < 2 or recent[-1] == recent[0]:
        return None
    return round(60 * (len(recent) - 1) / (recent[-1] - recent[0]), 2)


def _error(result: Mapping[str, Any] | None) -> str:
    error = (result or {}).get("error") or {}
    return f"{error.get('type')}: {error.get('message')}"
