"""How far a run is, and how long it will take."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from bilex.benchmark.execution import Result
from bilex.benchmark.jobs import Job


@dataclass(slots=True)
class RunProgress:
    """Counts of a run; the same object is told again and again."""

    total: int  # jobs to be run
    before: int  # jobs whose result was there at the beginning
    done: int = 0
    failed: int = 0
    elsewhere: int = 0  # jobs that another run did meanwhile
    failures: list[Result] = field(default_factory=list)
    running: dict[str, tuple[Job, float]] = field(default_factory=dict)  # by key, with its begin
    begin: float = field(default_factory=time.monotonic)
    _spent: dict[str, list[float]] = field(default_factory=dict)  # seconds, by method
    _left: Counter[str] = field(default_factory=Counter)  # jobs that have not ended, by method

    @property
    def ended(self) -> int:
        """Return how many jobs need no more work."""
        return self.done + self.failed + self.elsewhere

    def expect(self, job: Job) -> None:
        """Note that a job is to come."""
        self._left[job.method.name] += 1

    def start(self, job: Job) -> None:
        """Note that a job has begun."""
        self.running[job.key] = (job, time.monotonic())

    def end(self, job: Job, result: Result) -> None:
        """Note that a job has ended."""
        now = time.monotonic()
        _, begin = self.running.pop(job.key, (job, now))
        self._spent.setdefault(job.method.name, []).append(now - begin)
        self._left[job.method.name] -= 1
        if result["status"] == "done":
            self.done += 1
        else:
            self.failed += 1
            self.failures.append(result)

    def skip(self, job: Job) -> None:
        """Note that another run has done a job."""
        self._left[job.method.name] -= 1
        self.elsewhere += 1

    def seconds_left(self) -> float | None:
        """Estimate from the mean time of each method; None before the first job has ended.

        Methods differ a hundredfold in time, so a count of jobs alone would mislead.
        """
        spent = [seconds for times in self._spent.values() for seconds in times]
        if not spent:
            return None
        now, usual = time.monotonic(), sum(spent) / len(spent)
        ahead = sum(
            count * (sum(self._spent[method]) / len(self._spent[method]))
            if method in self._spent
            else count * usual
            for method, count in self._left.items()
        )
        begun = sum(now - begin for _, begin in self.running.values())
        at_once = (sum(spent) + begun) / max(now - self.begin, 1e-9)  # jobs side by side
        return max(ahead - begun, 0.0) / max(at_once, 1e-9)
