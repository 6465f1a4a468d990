"""Run many tasks: a queue, a runner that skips finished tasks, and engines that execute them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.jobs.inline import InlineEngine
    from bilex.jobs.local import LocalEngine
    from bilex.jobs.progress import RunProgress
    from bilex.jobs.queue import QueuePolicy, TaskQueue
    from bilex.jobs.ray import RayEngine
    from bilex.jobs.result_store import ResultStore
    from bilex.jobs.runner import Engine, Event, Finished, OnEvent, Started, run_tasks, standing
    from bilex.jobs.task import Input, Result, Task, Work

_HOMES = {
    "Engine": "bilex.jobs.runner",
    "Event": "bilex.jobs.runner",
    "Finished": "bilex.jobs.runner",
    "InlineEngine": "bilex.jobs.inline",
    "Input": "bilex.jobs.task",
    "LocalEngine": "bilex.jobs.local",
    "OnEvent": "bilex.jobs.runner",
    "QueuePolicy": "bilex.jobs.queue",
    "RayEngine": "bilex.jobs.ray",
    "Result": "bilex.jobs.task",
    "ResultStore": "bilex.jobs.result_store",
    "RunProgress": "bilex.jobs.progress",
    "Started": "bilex.jobs.runner",
    "Task": "bilex.jobs.task",
    "TaskQueue": "bilex.jobs.queue",
    "Work": "bilex.jobs.task",
    "run_tasks": "bilex.jobs.runner",
    "standing": "bilex.jobs.runner",
}

__all__ = [
    "Engine",
    "Event",
    "Finished",
    "InlineEngine",
    "Input",
    "LocalEngine",
    "OnEvent",
    "QueuePolicy",
    "RayEngine",
    "Result",
    "ResultStore",
    "RunProgress",
    "Started",
    "Task",
    "TaskQueue",
    "Work",
    "run_tasks",
    "standing",
]


def __getattr__(name: str) -> object:
    """Import a name when it is first used: results are read without torch and Ray."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bilex.jobs' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
