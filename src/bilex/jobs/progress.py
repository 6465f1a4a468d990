"""The progress of a run and an estimate of the time left."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Generic

from bilex.jobs.task import Result, TaskT


@dataclass(slots=True)
class RunProgress(Generic[TaskT]):
    """Counts of a run, updated in place after each event."""

    total: int  # tasks to run
    before: int  # tasks that had a result when the run began
    done: int = 0
    failed: int = 0
    elsewhere: int = 0  # tasks finished by another run at the same time
    failures: list[Result] = field(default_factory=list)
    running: dict[str, tuple[TaskT, float]] = field(default_factory=dict)  # by key, with the start
    begin: float = field(default_factory=time.monotonic)
    _spent: dict[str, list[float]] = field(default_factory=dict)  # seconds, by kind
    _left: Counter[str] = field(default_factory=Counter)  # tasks that have not ended, by kind

    @property
    def ended(self) -> int:
        """Return how many tasks have ended, in this run or another."""
        return self.done + self.failed + self.elsewhere

    def expect(self, task: TaskT) -> None:
        """Count a task that will be run."""
        self._left[task.kind] += 1

    def start(self, task: TaskT) -> None:
        """Count a task that has begun."""
        self.running[task.key] = (task, time.monotonic())

    def end(self, task: TaskT, result: Result) -> None:
        """Count a task that has ended."""
        now = time.monotonic()
        _, begin = self.running.pop(task.key, (task, now))
        self._spent.setdefault(task.kind, []).append(now - begin)
        self._left[task.kind] -= 1
        if result["status"] == "done":
            self.done += 1
        else:
            self.failed += 1
            self.failures.append(result)

    def skip(self, task: TaskT) -> None:
        """Count a task that another run has finished."""
        self._left[task.kind] -= 1
        self.elsewhere += 1

    def seconds_left(self) -> float | None:
        """Estimate from the mean time of each kind; None until the first task has ended.

        Kinds of tasks can differ by a factor of 100 in time, so a count of tasks is not enough.
        """
        spent = [seconds for times in self._spent.values() for seconds in times]
        if not spent:
            return None
        now, usual = time.monotonic(), sum(spent) / len(spent)
        ahead = sum(
            count * (sum(self._spent[kind]) / len(self._spent[kind]))
            if kind in self._spent
            else count * usual
            for kind, count in self._left.items()
        )
        begun = sum(now - begin for _, begin in self.running.values())
        at_once = (sum(spent) + begun) / max(now - self.begin, 1e-9)  # tasks running at once
        return max(ahead - begun, 0.0) / max(at_once, 1e-9)
