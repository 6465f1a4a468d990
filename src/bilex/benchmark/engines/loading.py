"""Loading the inputs of jobs in a process that runs one after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bilex.benchmark.execution import Inputs, load_space
from bilex.benchmark.jobs import HashedVectors, Job
from bilex.values import EmbeddingSpace


class SpaceLoader:
    """Loads vectors, and keeps those of the last job."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._kept: dict[HashedVectors, EmbeddingSpace] = {}

    def reader(self, job: Job) -> Callable[[], Inputs]:
        """Return a function that reads the inputs of a job."""
        return lambda: self._read(job)

    def _read(self, job: Job) -> Inputs:
        wanted = job.hashed_vectors
        self._kept = {loaded: space for loaded, space in self._kept.items() if loaded in wanted}
        for loaded in wanted:
            if loaded not in self._kept:
                self._kept[loaded] = load_space(loaded[0], self._cache)
        source, target = (self._kept[loaded] for loaded in wanted)
        return Inputs(source, target, job.read_pairs())
