"""The benchmark: suites of jobs, their execution, and comparable results."""

from __future__ import annotations

from bilex.benchmark.external import external_job
from bilex.benchmark.job_filter import filter_jobs
from bilex.benchmark.jobs import Job, expand
from bilex.benchmark.suite import Suite
from bilex.benchmark.suite_file import load_suite, suite_names
from bilex.benchmark.work import BenchmarkWork, JobEvent, JobProgress, OnJobEvent, run_jobs
from bilex.jobs import Engine, Finished, ResultStore, Started, standing
from bilex.storage.hashes import FileHashes

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
    "expand",
    "external_job",
    "filter_jobs",
    "load_suite",
    "run_jobs",
    "standing",
    "suite_names",
]
