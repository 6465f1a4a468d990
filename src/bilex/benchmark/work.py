"""Benchmark jobs as work for `bilex.jobs`: their inputs, results and names."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import torch

from bilex.benchmark.execution import Inputs, Measure, failed_result, run_job
from bilex.benchmark.jobs import Job, VectorFile, task_name
from bilex.benchmark.seed_pairs import Pairs
from bilex.embeddings import load_embeddings
from bilex.embeddings.vocabulary_bytes import join_words, split_words
from bilex.jobs import Engine, Event, OnEvent, QueuePolicy, ResultStore, RunProgress, run_tasks
from bilex.jobs.task import Input, Load, Result
from bilex.values import Compute, EmbeddingSpace

JobProgress: TypeAlias = RunProgress[Job]
JobEvent: TypeAlias = Event[Job, Result]
OnJobEvent: TypeAlias = OnEvent[Job, Result]

BASE_MEMORY = 768 * 2**20  # of Python and torch
COPIES_OF_VECTORS = 4  # read, normalized, mapped, and temporary


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkWork:
    """Trains and scores the method of a job.

    Attributes:
        cache: Folder of parsed vectors, which are memory-mapped and so shared by all processes of
            a machine; None parses the files each time.
        memory: Bytes that a search may use; it does not change the results.
        measure: Adds fields to the results of trained models. It must be a module-level function,
            so that it can be pickled. It is not part of the keys of jobs, so use a separate
            results folder.
    """

    cache: Path | None = None
    memory: int = Compute().memory
    measure: Measure | None = None

    def inputs(self, job: Job) -> Sequence[Input]:
        """Return the vectors of both languages, and the word pairs."""
        source, target = job.vectors
        return (
            VectorInput(source, job.hashes["source_vectors"], self.cache),
            VectorInput(target, job.hashes["target_vectors"], self.cache),
            PairsInput(job.key, job),
        )

    def run(self, job: Job, load: Load) -> Result:
        """Return the result of a job."""
        return run_job(job, lambda: _inputs(load), memory=self.memory, measure=self.measure)

    def failed(self, job: Job, problem: BaseException) -> Result:
        """Return the result of a job that ended in an error."""
        return failed_result(job, problem)

    def memory_needed(self, job: Job, input_bytes: int) -> int:
        """Estimate how many bytes a process needs to run a job."""
        return BASE_MEMORY + self.memory + COPIES_OF_VECTORS * input_bytes

    def task_name(self, result: Result) -> str:
        """Return the name of the job of a stored result."""
        return task_name(result.get("suite"), result.get("job"))


def run_jobs(
    jobs: Sequence[Job],
    store: ResultStore,
    engine: Engine,
    *,
    work: BenchmarkWork | None = None,
    queue: QueuePolicy | str = "grouped",
    retry_failed: bool = False,
    on_event: OnJobEvent | None = None,
) -> JobProgress:
    """Run the jobs that have no result yet; see `bilex.jobs.run_tasks`.

    Args:
        jobs: All jobs, with the hashes of their files.
        store: The stored results; new ones are added.
        engine: Executes the jobs.
        work: The settings of all jobs: cache, memory and additional measurements.
        queue: Decides the order: a policy, or the name of a `queue` plugin.
        retry_failed: Whether jobs that failed in an earlier run are run again.
        on_event: Called after each job that begins or ends.
    """
    return run_tasks(
        jobs,
        work or BenchmarkWork(),
        store,
        engine,
        queue=queue,
        retry_failed=retry_failed,
        on_event=on_event,
    )


@dataclass(frozen=True, slots=True)
class VectorInput:
    """A file of vectors with a certain content; a changed file is another input."""

    file: VectorFile
    sha256: str
    cache: Path | None

    def load(self) -> PortableSpace:
        """Load the vectors without subwords, because only words of the vocabularies are scored."""
        file = self.file
        space = load_embeddings(
            file.path, limit=file.limit, lowercase=file.lowercase, cache=self.cache
        )
        return PortableSpace(EmbeddingSpace(space.words, space.vectors))


@dataclass(frozen=True, slots=True)
class PairsInput:
    """The seed pairs and test pairs of a job."""

    key: str
    job: Job = field(compare=False)

    def load(self) -> Pairs:
        """Read the word pairs."""
        return self.job.read_pairs()


@dataclass(frozen=True, eq=False, slots=True)
class PortableSpace:
    """A space that is pickled as one string of words and an array, without a copy of the array."""

    space: EmbeddingSpace

    def __reduce__(self) -> tuple[Any, ...]:
        vectors = np.ascontiguousarray(self.space.vectors.numpy(), dtype=np.float32)
        return _portable_space, (join_words(self.space.words), vectors.view(np.ndarray))


def _portable_space(blob: bytes, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> PortableSpace:
    words = split_words(blob, len(vectors), Path("vectors in the object store"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # read-only memory, which nothing writes to
        return PortableSpace(EmbeddingSpace(tuple(words), torch.from_numpy(vectors)))


def _inputs(load: Load) -> Inputs:
    source, target, pairs = load()
    return Inputs(
        cast(PortableSpace, source).space, cast(PortableSpace, target).space, cast(Pairs, pairs)
    )
