"""What is still to be done, handed out so that a worker keeps the vectors it has loaded."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

from bilex.benchmark.jobs import Job

LanguagePair = tuple[str, str]


def language_pair(job: Job) -> LanguagePair:
    """Return what decides which vectors a worker has to load."""
    return str(job.vectors[0].path), str(job.vectors[1].path)


class JobQueue:
    """Jobs in groups of the same vectors.

    Args:
        jobs: What to do, in this order where nothing else matters.
        is_missing: Asked just before a job is handed out; another run may have done it by then.
    """

    def __init__(self, jobs: Sequence[Job], is_missing: Callable[[Job], bool]) -> None:
        self._groups: dict[LanguagePair, deque[Job]] = {}
        for job in jobs:
            self._groups.setdefault(language_pair(job), deque()).append(job)
        self._is_missing = is_missing
        self._holders: Counter[LanguagePair] = Counter()
        self.done_elsewhere: list[Job] = []

    def take(self, near: Job | None = None) -> Job | None:
        """Return the next job, with the vectors of the last one if possible; None at the end."""
        held = None if near is None else language_pair(near)
        while self._groups:
            group = held if held in self._groups else None
            if group is None:
                if held is not None:
                    self._holders[held] -= 1
                group = min(self._groups, key=lambda pair: self._holders[pair])
                self._holders[group] += 1
                held = group
            job = self._groups[group].popleft()
            if not self._groups[group]:
                del self._groups[group]
            if self._is_missing(job):
                return job
            self.done_elsewhere.append(job)
        return None
