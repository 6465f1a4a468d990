"""The suites of the package: their names, their text, and each in short.

They are read without the plugins of their methods, which import torch: that takes seconds.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

from bilex.benchmark.suite import Task


class SuiteSummary(NamedTuple):
    """A suite in a line."""

    name: str
    jobs: int
    description: str


_FOLDER = resources.files("bilex") / "benchmark" / "suites"


def suite_names() -> list[str]:
    """Return the names of the suites in the package, sorted."""
    return sorted(f.name.removesuffix(".toml") for f in _FOLDER.iterdir() if f.name[0] not in "._")


def suite_text(name: str) -> str:
    """Return the file of a suite of the package."""
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def list_suites() -> list[SuiteSummary]:
    """Return the suites of the package, sorted by name."""
    return [_summary(name, tomllib.loads(suite_text(name))) for name in suite_names()]


def _summary(name: str, suite: Mapping[str, Any]) -> SuiteSummary:
    jobs = {job for task in _tasks(suite) for job in _jobs(task)}  # tasks may overlap
    return SuiteSummary(name, len(jobs), suite.get("description", ""))


def _tasks(suite: Mapping[str, Any]) -> Iterator[Task]:
    methods = dict.fromkeys(suite.get("methods", ()))
    for values in suite["tasks"]:
        wanted = values.get("methods") or list(methods)
        methods |= dict.fromkeys(wanted)  # a preset that a task names is a method of later tasks
        yield Task(
            lexicon=values["lexicon"],
            pairs=tuple(tuple(pair.split("-")) for pair in values["pairs"]),
            directions=values.get("directions", "forward"),
            seeds=tuple(values["seeds"]),
            draws=values.get("draws", 1),
            methods=tuple(wanted),
        )


def _jobs(task: Task) -> Iterator[tuple[object, ...]]:
    """Yield what identifies each job."""
    for pair in task.directed_pairs():
        for job in product(task.seeds, range(task.draws), task.methods):
            yield task.lexicon, *pair[:2], *job
