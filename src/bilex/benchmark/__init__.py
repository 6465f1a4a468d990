"""The benchmark: suites of jobs, their execution, and comparable results."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.benchmark.external import external_job
    from bilex.benchmark.job_filter import filter_jobs
    from bilex.benchmark.jobs import Job, expand
    from bilex.benchmark.suite import Suite
    from bilex.benchmark.suite_file import load_suite
    from bilex.benchmark.suite_list import SuiteSummary, list_suites, suite_names
    from bilex.benchmark.work import BenchmarkWork, JobEvent, JobProgress, OnJobEvent, run_jobs
    from bilex.jobs import Engine, Finished, ResultStore, Started, standing
    from bilex.storage.hashes import FileHashes

_HOMES = {
    "BenchmarkWork": "bilex.benchmark.work",
    "Engine": "bilex.jobs",
    "FileHashes": "bilex.storage.hashes",
    "Finished": "bilex.jobs",
    "Job": "bilex.benchmark.jobs",
    "JobEvent": "bilex.benchmark.work",
    "JobProgress": "bilex.benchmark.work",
    "OnJobEvent": "bilex.benchmark.work",
    "ResultStore": "bilex.jobs",
    "Started": "bilex.jobs",
    "Suite": "bilex.benchmark.suite",
    "SuiteSummary": "bilex.benchmark.suite_list",
    "expand": "bilex.benchmark.jobs",
    "external_job": "bilex.benchmark.external",
    "filter_jobs": "bilex.benchmark.job_filter",
    "list_suites": "bilex.benchmark.suite_list",
    "load_suite": "bilex.benchmark.suite_file",
    "run_jobs": "bilex.benchmark.work",
    "standing": "bilex.jobs",
    "suite_names": "bilex.benchmark.suite_list",
}

__all__ = [
    "BenchmarkWork",
    "Engine",
    "FileHashes",
    "Finished",
    "Job",
    "JobEvent",
    "JobProgress",
    "OnJobEvent",
    "ResultStore",
    "Started",
    "Suite",
    "SuiteSummary",
    "expand",
    "external_job",
    "filter_jobs",
    "list_suites",
    "load_suite",
    "run_jobs",
    "standing",
    "suite_names",
]


def __getattr__(name: str) -> object:
    """Import a name when it is first used, since torch takes long to import."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
