"""Run tasks on a Ray cluster: a running one, by its address, or a local one on this machine.

The driver loads inputs and puts them into Ray's object store. Each node stores them once, and its
workers read them without copying. Nodes need bilex installed, but no shared file system, unless the
tasks themselves read files. A task whose worker or node dies is run again on another one. That is
safe, because results do not depend on where or how often a task runs, and only the driver writes
them.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import time
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from bilex.config import require_at_least_one
from bilex.errors import MissingExtraError, SettingError
from bilex.jobs.queue import TaskQueue
from bilex.jobs.runner import Event, Finished, Started
from bilex.jobs.task import Input, Result, ResultT, Task, TaskT, Work, perform

Packed = tuple[bytes, "list[np.ndarray[Any, np.dtype[np.uint8]]]"]
"""A serialized input: its pickle, and the memory of its arrays, which is not copied."""

STORED_BYTES = 2 * 2**30
"""Size limit of inputs in the object store: about eight files of 200,000 words."""

SECONDS_TO_WAIT = 1.0
SECONDS_BETWEEN_LOOKS = 5.0
MEMORY_STEP = 128 * 2**20
"""Memory of tasks is rounded up to a multiple: Ray reuses workers only among equal demands."""

SECONDS_TO_ANSWER = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RayEngine:
    """Runs tasks as Ray tasks.

    Attributes:
        address: The address of a running cluster, such as `10.0.0.1:6379` or `auto`; None starts
            a local cluster on this machine.
        workers: How many tasks run at once on a local cluster; None runs one for every `threads`
            cores.
        threads: CPUs that a task reserves, and threads that it uses.
        job_memory: Bytes that a task reserves; None estimates them from its inputs.
        retries: How often a task is run again when its worker or node dies.
    """

    address: str | None = None
    workers: int | None = None
    threads: int = 1
    job_memory: int | None = None
    retries: int = 5

    def __post_init__(self) -> None:
        require_at_least_one("ray", self, "threads")
        if self.workers is not None:
            require_at_least_one("ray", self, "workers")
            if self.address is not None:
                raise SettingError(
                    "workers has no effect with an address: the CPUs of the cluster limit how many "
                    "jobs run at once; leave it out, or set threads, the CPUs of a job"
                )

    def run(
        self, work: Work[TaskT, ResultT], queue: TaskQueue[TaskT]
    ) -> Generator[Event[TaskT, ResultT], None, None]:
        """Yield events until the queue is empty."""
        ray = import_ray()
        submitted: dict[Any, TaskT] = {}
        with self._connected(ray):
            stored, body, cluster = _StoredInputs(ray), ray.remote(_work), _Cluster(ray)
            task = queue.take()
            try:
                while task is not None or submitted:
                    while task is not None and len(submitted) < cluster.window(self.threads):
                        yield Started(task)
                        try:
                            submitted[self._submit(cluster, body, stored, work, task)] = task
                        except Exception as problem:  # noqa: BLE001 - in the files of this task
                            yield Finished(task, work.failed(task, problem))
                        task = queue.take(task)
                    yield from _finished(ray, work, submitted)
            finally:
                for reference in submitted:
                    ray.cancel(reference, force=True)

    def session(self) -> AbstractContextManager[None]:
        """Stay connected to the cluster, or keep the local one running."""
        return self._connected(import_ray())

    def _submit(
        self,
        cluster: _Cluster,
        body: Any,  # noqa: ANN401 - ray has no types
        stored: _StoredInputs,
        work: Work[TaskT, ResultT],
        task: TaskT,
    ) -> Any:  # noqa: ANN401
        inputs = stored.get(work.inputs(task))
        input_bytes = sum(each.bytes for each in inputs)
        needed = self.job_memory or work.memory_needed(task, input_bytes)
        rounded = -(-needed // MEMORY_STEP) * MEMORY_STEP
        submitted = body.options(
            num_cpus=self.threads,
            memory=int(min(rounded, cluster.largest_memory)),
            max_retries=self.retries,  # if a worker or node dies; errors of a task are results
            retry_exceptions=False,
        )
        return submitted.remote(work, task, self.threads, *(each.reference for each in inputs))

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
class _Stored:
    reference: Any
    bytes: int


class _StoredInputs:
    """Inputs in the object store; the least recently used are removed above the size limit."""

    def __init__(self, ray: Any) -> None:  # noqa: ANN401
        self._ray = ray
        self._kept: OrderedDict[Input, _Stored] = OrderedDict()

    def get(self, wanted: Sequence[Input]) -> list[_Stored]:
        for each in wanted:
            if each not in self._kept:
                packed = _pack(each.load())
                self._kept[each] = _Stored(self._ray.put(packed), _size(packed))
            self._kept.move_to_end(each)
        found = [self._kept[each] for each in wanted]
        while sum(each.bytes for each in self._kept.values()) > STORED_BYTES:
            if len(self._kept) <= len(wanted):
                break
            self._kept.popitem(last=False)
        return found


def _pack(loaded: object) -> Packed:
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(loaded, protocol=5, buffer_callback=buffers.append)
    return data, [np.asarray(buffer.raw()) for buffer in buffers]


def _unpack(packed: Packed) -> object:
    data, buffers = packed
    return pickle.loads(data, buffers=buffers)  # noqa: S301 - made by our own driver


def _size(packed: Packed) -> int:
    data, buffers = packed
    return len(data) + sum(buffer.nbytes for buffer in buffers)


def _work(work: Work[Task, Result], task: Task, threads: int, *inputs: Packed) -> Result:
    """Run a task; the main function of a Ray task."""
    torch.set_num_threads(threads)
    return perform(work, task, lambda: [_unpack(packed) for packed in inputs])


def _finished(
    ray: Any,  # noqa: ANN401
    work: Work[TaskT, ResultT],
    submitted: dict[Any, TaskT],
) -> Iterator[Event[TaskT, ResultT]]:
    """Wait for a result for at most `SECONDS_TO_WAIT`, and yield the results that are ready."""
    if not submitted:
        return
    ready, others = ray.wait(list(submitted), num_returns=1, timeout=SECONDS_TO_WAIT)
    if ready and others:
        ready += ray.wait(others, num_returns=len(others), timeout=0)[0]
    for reference in ready:
        task = submitted.pop(reference)
        try:
            result = ray.get(reference)
        except ray.exceptions.RayError as problem:  # its worker died too often or never started
            result = work.failed(task, problem)
        yield Finished(task, result)


def _start_here(ray: Any, workers: int | None, threads: int) -> None:  # noqa: ANN401
    """Start a local cluster that sends no usage statistics."""
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
    """Connect to a running cluster.

    Raises:
        SettingError: If it does not answer within `SECONDS_TO_ANSWER`.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    try:
        if colon and port.isdecimal():  # Ray would wait for minutes
            socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_ANSWER).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except OSError as problem:
        raise SettingError(
            f"no Ray cluster answers at {address!r} ({problem}): check that it is running; "
            "`ray start --head` starts one, and without --address a local one is started"
        ) from problem


def _check_cluster(ray: Any, threads: int) -> None:  # noqa: ANN401
    largest = _largest(ray, "CPU")
    if threads > largest:
        raise SettingError(
            f"a job needs {threads} CPUs, but no node has more than {largest:g}: give a smaller "
            "number of --threads"
        )


def _largest(ray: Any, resource: str) -> float:  # noqa: ANN401
    return max(
        (float(node["Resources"].get(resource, 0)) for node in ray.nodes() if node["Alive"]),
        default=0.0,
    )


class _Cluster:
    """The size of the cluster, which changes: looked up again every few seconds."""

    def __init__(self, ray: Any) -> None:  # noqa: ANN401
        self._ray = ray
        self._looked = -SECONDS_BETWEEN_LOOKS
        self._cpus, self._memory = 0.0, 0.0

    def window(self, threads: int) -> int:
        """Return how many tasks to submit: a few more than can run, so that no CPU is idle."""
        self._look()
        slots = int(self._cpus // threads)
        return slots + max(2, slots // 4)

    @property
    def largest_memory(self) -> float:
        """Return the memory of the largest node."""
        self._look()
        return self._memory

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked >= SECONDS_BETWEEN_LOOKS:
            self._looked = now
            self._cpus = float(self._ray.cluster_resources().get("CPU", 0))
            self._memory = _largest(self._ray, "memory")
