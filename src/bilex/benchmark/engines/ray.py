"""Jobs on a Ray cluster: an existing one by its address, or one made of this machine.

Vectors are put into Ray's object store by the driver, so that each node holds them once and its
workers read them in place; nothing but bilex has to be installed there, and no file system need
be shared. A job whose worker or node dies is run again elsewhere: results do not depend on where
or how often a job runs, and only the driver writes them.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bilex.benchmark.execution import Inputs, Result, failed_result, load_space, run_job
from bilex.benchmark.job_queue import JobQueue
from bilex.benchmark.jobs import HashedVectors, Job
from bilex.benchmark.runner import Event, Finished, Started
from bilex.benchmark.seed_pairs import Pairs
from bilex.bounds import require_at_least_one
from bilex.embeddings.word_blob import join_words, split_words
from bilex.errors import MissingExtraError, SettingError
from bilex.values import Compute, EmbeddingSpace

Packed = tuple[bytes, "np.ndarray[Any, np.dtype[np.float32]]"]
"""A space as Ray carries it: the words in one piece, and the vectors, which are not copied."""

SPACES_KEPT = 8
BASE_MEMORY = 768 * 2**20  # Python and torch
COPIES_OF_VECTORS = 4  # read, normalized, mapped, and at work
SECONDS_TO_WAIT = 1.0
SECONDS_TO_ANSWER = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RayEngine:
    """Runs jobs as Ray tasks.

    Attributes:
        address: Of the head of a running cluster, such as `10.0.0.1:6379` or `auto`; None makes
            one of this machine.
        workers: How many jobs run at once, if the cluster is made here; None is one for
            every `threads` cores.
        threads: How many CPUs a job asks for, and threads it computes with.
        job_memory: Bytes a job asks for; None estimates it from the vectors.
        retries: How often a job is run again when its worker or node dies.
        cache: Folder of parsed vectors, used by the driver.
        memory: Bytes that a search of one job may use.
    """

    address: str | None = None
    workers: int | None = None
    threads: int = 1
    job_memory: int | None = None
    retries: int = 5
    cache: Path | None = None
    memory: int = Compute().memory

    def __post_init__(self) -> None:
        require_at_least_one("ray", self, "threads")
        if self.workers is not None:
            require_at_least_one("ray", self, "workers")
            if self.address is not None:
                raise SettingError(
                    "workers is set, but a cluster that is given by its address has as many as its "
                    "CPUs allow: leave it out, or set threads, the CPUs of a job"
                )

    def run(self, queue: JobQueue) -> Generator[Event, None, None]:
        """Yield what happens until the queue is empty."""
        ray = import_ray()
        flying: dict[Any, Job] = {}
        with self._connected(ray):
            shelf = _Shelf(ray, self.cache)
            work = ray.remote(_work)
            job = queue.take()
            try:
                while job is not None or flying:
                    while job is not None and len(flying) < _window(ray, self.threads):
                        yield Started(job)
                        try:
                            flying[self._submit(ray, work, shelf, job)] = job
                        except Exception as problem:  # noqa: BLE001 - of this job's files alone
                            yield Finished(job, failed_result(job, problem))
                        job = queue.take(job)
                    yield from _landed(ray, flying)
            finally:
                for reference in flying:
                    ray.cancel(reference, force=True)

    def _submit(self, ray: Any, work: Any, shelf: _Shelf, job: Job) -> Any:  # noqa: ANN401
        spaces = [shelf.get(vectors) for vectors in job.hashed_vectors]
        needed = self.job_memory or (
            BASE_MEMORY + self.memory + COPIES_OF_VECTORS * sum(space.bytes for space in spaces)
        )
        memory = min(needed, _largest(ray, "memory"))
        task = work.options(
            num_cpus=self.threads,
            memory=int(memory),
            max_retries=self.retries,  # of workers and nodes that die; errors are results
            retry_exceptions=False,
        )
        references = [space.reference for space in spaces]
        return task.remote(job, job.read_pairs(), *references, self.threads, self.memory)

    @contextmanager
    def _connected(self, ray: Any) -> Iterator[None]:  # noqa: ANN401 - ray has no types
        """Connect to the cluster, unless this process is connected already."""
        if ray.is_initialized():
            yield
            return
        try:
            if self.address is None:
                _start_here(ray, self.workers, self.threads)
            else:
                _join(ray, self.address)
            _check_cluster(ray, self.threads)
            yield
        finally:
            ray.shutdown()


def import_ray() -> Any:  # noqa: ANN401 - a module
    """Return the ray module.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import ray
    except ImportError as problem:
        raise MissingExtraError(
            f"the engine 'ray' needs a package that is not installed ({problem}): "
            'pip install "bilex[scale]"; or use --engine local'
        ) from problem
    return ray


@dataclass(frozen=True, slots=True)
class _Shelved:
    reference: Any
    bytes: int


class _Shelf:
    """Vectors in the object store; those not used lately are let go."""

    def __init__(self, ray: Any, cache: Path | None) -> None:  # noqa: ANN401
        self._ray, self._cache = ray, cache
        self._kept: OrderedDict[HashedVectors, _Shelved] = OrderedDict()

    def get(self, wanted: HashedVectors) -> _Shelved:
        if wanted not in self._kept:
            space = load_space(wanted[0], self._cache)
            vectors = np.ascontiguousarray(space.vectors.numpy(), dtype=np.float32)
            packed: Packed = (join_words(space.words), vectors.view(np.ndarray))
            self._kept[wanted] = _Shelved(self._ray.put(packed), vectors.nbytes)
        self._kept.move_to_end(wanted)
        while len(self._kept) > SPACES_KEPT:
            self._kept.popitem(last=False)
        return self._kept[wanted]


def _work(
    job: Job, pairs: Pairs, source: Packed, target: Packed, threads: int, memory: int
) -> Result:
    """Run a job; the body of a Ray task."""
    torch.set_num_threads(threads)
    return run_job(job, lambda: Inputs(_space(source), _space(target), pairs), memory=memory)


def _space(packed: Packed) -> EmbeddingSpace:
    blob, vectors = packed
    words = split_words(blob, len(vectors), Path("vectors in the object store"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # read-only memory, which nobody writes to
        return EmbeddingSpace(tuple(words), torch.from_numpy(vectors))


def _landed(ray: Any, flying: dict[Any, Job]) -> Iterator[Event]:  # noqa: ANN401
    """Yield the results that are there, after waiting a moment for one."""
    if not flying:
        return
    ready, _ = ray.wait(list(flying), num_returns=1, timeout=SECONDS_TO_WAIT)
    for reference in ready:
        job = flying.pop(reference)
        try:
            result = ray.get(reference)
        except ray.exceptions.RayError as problem:  # its worker died too often, or was never made
            result = failed_result(job, problem)
        yield Finished(job, result)


def _start_here(ray: Any, workers: int | None, threads: int) -> None:  # noqa: ANN401
    """Make a cluster of this machine, which reports to nobody."""
    name, value = "RAY_USAGE_STATS_ENABLED", "0"
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        ray.init(
            address="local",
            num_cpus=None if workers is None else workers * threads,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.WARNING,
        )
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _join(ray: Any, address: str) -> None:  # noqa: ANN401
    """Connect to a running cluster; one that does not answer is told within seconds."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    try:
        if colon and port.isdecimal():  # Ray itself would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_ANSWER).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except OSError as problem:
        raise SettingError(
            f"no Ray cluster answers at {address!r} ({problem}): is it running? "
            "`ray start --head` starts one; without --address one is made here"
        ) from problem


def _check_cluster(ray: Any, threads: int) -> None:  # noqa: ANN401
    largest = _largest(ray, "CPU")
    if threads > largest:
        raise SettingError(
            f"a job asks for {threads} CPUs, but no node has more than {largest:g}: "
            "ask for fewer with --threads"
        )


def _largest(ray: Any, resource: str) -> float:  # noqa: ANN401
    return max(
        (float(node["Resources"].get(resource, 0)) for node in ray.nodes() if node["Alive"]),
        default=0.0,
    )


def _window(ray: Any, threads: int) -> int:  # noqa: ANN401
    """Return how many jobs to have on their way: a few more than run, so that none waits for us."""
    slots = int(ray.cluster_resources().get("CPU", 0) // threads)
    return slots + max(2, slots // 4)
