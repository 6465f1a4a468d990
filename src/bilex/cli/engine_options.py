"""Options of commands that run many jobs: where they run, and in which order."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.jobs import Engine, QueuePolicy

FAILED, INTERRUPTED = 1, 130
"""Exit codes, if jobs failed and after an interrupt."""

DEFAULT_QUEUE = "grouped"


class EngineName(StrEnum):
    """Where jobs run."""

    local = "local"
    ray = "ray"
    inline = "inline"


Engine_ = Annotated[
    EngineName,
    typer.Option(
        metavar="local|ray|inline",
        help="Where jobs run: in processes on this machine, on a Ray cluster, or one after "
        "another in this process.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a running Ray cluster. By default, one is started on this machine.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Jobs at once on this machine. By default, one per core."
    ),
]
JobThreads = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Threads of each job. By default, cores divided by workers."
    ),
]
Queue = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Order of jobs: grouped (by vectors), in-order, or a plug-in."
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Also run jobs that failed in an earlier run.")
]
JobMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory that each job reserves on Ray, such as 4GiB. By default, it is estimated.",
    ),
]


def make_engine(
    name: EngineName,
    address: str | None,
    workers: int | None,
    threads: int | None,
    job_memory: str | None,
) -> Engine:
    """Make the engine; an option that it would ignore is an error."""
    if name is not EngineName.ray and (address is not None or job_memory is not None):
        raise SettingError(f"--address and --job-memory are for --engine ray, not {name.value}")
    if name is EngineName.ray:
        from bilex.jobs.ray import RayEngine, import_ray

        import_ray()  # raises before files are hashed
        return RayEngine(
            address=address,
            workers=workers,
            threads=threads or 1,
            job_memory=None if job_memory is None else options.memory_bytes(job_memory),
        )
    if name is EngineName.inline:
        from bilex.jobs.inline import InlineEngine

        if workers is not None or threads is not None:
            raise SettingError("--workers and --threads are not for --engine inline")
        return InlineEngine()
    from bilex.jobs.local import LocalEngine, available_cores

    return LocalEngine(
        workers=workers or max(1, available_cores() // (threads or 1)), threads=threads
    )


def make_policy(name: str) -> QueuePolicy:
    """Make the queue policy; an unknown name is an error that lists those installed."""
    from bilex.registry import plugin_class

    policy: QueuePolicy = plugin_class("queue", name)()
    return policy


def counted(jobs: int) -> str:
    """Write "1 job" or "2 jobs"."""
    return "1 job" if jobs == 1 else f"{jobs:,} jobs"
