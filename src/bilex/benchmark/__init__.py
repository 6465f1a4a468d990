"""The benchmark: suites as data, a runner that does only what is missing, results that last."""

from __future__ import annotations

from bilex.benchmark.execution import run_job
from bilex.benchmark.external import external_job
from bilex.benchmark.file_hashes import FileHashes
from bilex.benchmark.jobs import Job, expand
from bilex.benchmark.only import choose
from bilex.benchmark.results import ResultStore
from bilex.benchmark.runner import Engine, Finished, Started, run_jobs, standing
from bilex.benchmark.suite import Suite
from bilex.benchmark.suite_file import load_suite, suite_names

__all__ = [
    "Engine",
    "FileHashes",
    "Finished",
    "Job",
    "ResultStore",
    "Started",
    "Suite",
    "choose",
    "expand",
    "external_job",
    "load_suite",
    "run_job",
    "run_jobs",
    "standing",
    "suite_names",
]
