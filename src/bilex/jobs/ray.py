"""Tasks on a Ray cluster: an existing one by its address, or one made of this machine.

The driver loads inputs and puts them into Ray's object store, so that each node holds them once
and its workers read them in place. Nodes need bilex installed, but no shared file system. A task
whose worker or node dies is run again elsewhere: results do not depend on where or how often a
task runs, and only the driver writes them.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
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
"""An input as Ray carries it: its pickle, and the memory of its arrays, which is not copied."""

STORED_BYTES = 2 * 2**30
"""Inputs kept in the object store for later tasks: eight files of 200,000 words."""

SECONDS_TO_WAIT = 1.0
SECONDS_TO_ANSWER = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RayEngine:
    """Runs tasks as Ray tasks.

    Attributes:
        address: Of the head of a running cluster, such as `10.0.0.1:6379` or `auto`; None makes
            one of this machine.
        workers: How many tasks run at once, if the cluster is made here; None is one for
            every `threads` cores.
        threads: How many CPUs a task reserves, and threads it computes with.
        job_memory: Bytes a task reserves; None estimates them from its inputs.
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
                    "workers is set, but a cluster that is given by its address has as many as its "
                    "CPUs allow: leave it out, or set threads, the CPUs of a job"
                )

    def run(
        self, work: Work[TaskT, ResultT], queue: TaskQueue[TaskT]
    ) -> Generator[Event[TaskT, ResultT], None, None]:
        """Yield what happens until the queue is empty."""
        ray = import_ray()
        flying: dict[Any, TaskT] = {}
        with self._connected(ray):
            stored, body = _StoredInputs(ray), ray.remote(_work)
            task = queue.take()
            try:
                while task is not None or flying:
                    while task is not None and len(flying) < _window(ray, self.threads):
                        yield Started(task)
                        try:
                            flying[self._submit(ray, body, stored, work, task)] = task
                        except Exception as problem:  # noqa: BLE001 - of this task's files alone
                            yield Finished(task, work.failed(task, problem))
                        task = queue.take(task)
                    yield from _landed(ray, work, flying)
            finally:
                for reference in flying:
                    ray.cancel(reference, force=True)

    def _submit(
        self,
        ray: Any,  # noqa: ANN401 - ray has no types
        body: Any,  # noqa: ANN401
        stored: _StoredInputs,
        work: Work[TaskT, ResultT],
        task: TaskT,
    ) -> Any:  # noqa: ANN401
        inputs = stored.get(work.inputs(task))
        input_bytes = sum(each.bytes for each in inputs)
        needed = self.job_memory or work.memory_needed(task, input_bytes)
        submitted = body.options(
            num_cpus=self.threads,
            memory=int(min(needed, _largest(ray, "memory"))),
            max_retries=self.retries,  # of workers and nodes that die; errors are results
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
    """Inputs in the object store; the least recently used are removed when they grow too large."""

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
    """Run a task; the body of a Ray task."""
    torch.set_num_threads(threads)
    return perform(work, task, lambda: [_unpack(packed) for packed in inputs])


def _landed(
    ray: Any,  # noqa: ANN401
    work: Work[TaskT, ResultT],
    flying: dict[Any, TaskT],
) -> Iterator[Event[TaskT, ResultT]]:
    """Yield the results that have arrived, after waiting a moment for one."""
    if not flying:
        return
    ready, _ = ray.wait(list(flying), num_returns=1, timeout=SECONDS_TO_WAIT)
    for reference in ready:
        task = flying.pop(reference)
        try:
            result = ray.get(reference)
        except ray.exceptions.RayError as problem:  # its worker died too often, or was never made
            result = work.failed(task, problem)
        yield Finished(task, result)


def _start_here(ray: Any, workers: int | None, threads: int) -> None:  # noqa: ANN401
    """Make a cluster of this machine that sends no usage statistics."""
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
        SettingError: If it does not answer within seconds.
    """
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
    """Return how many tasks to submit at once: a few more than run, so that no CPU is idle."""
    slots = int(ray.cluster_resources().get("CPU", 0) // threads)
    return slots + max(2, slots // 4)
