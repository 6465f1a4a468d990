"""Run many tasks: a queue, a runner that skips finished tasks, and engines that execute them."""

from __future__ import annotations

from bilex.jobs.inline import InlineEngine
from bilex.jobs.local import LocalEngine
from bilex.jobs.progress import RunProgress
from bilex.jobs.queue import QueuePolicy, TaskQueue
from bilex.jobs.ray import RayEngine
from bilex.jobs.result_store import ResultStore
from bilex.jobs.runner import Engine, Event, Finished, OnEvent, Started, run_tasks, standing
from bilex.jobs.task import Input, Result, Task, Work

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
