"""The suites of the package in short.

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


def list_suites() -> list[SuiteSummary]:
    """Return the suites of the package, sorted by name."""
    found = []
    for file in (resources.files("bilex") / "benchmark" / "suites").iterdir():
        if file.name[0] not in "._":
            suite = tomllib.loads(file.read_text(encoding="utf-8"))
            jobs = {job for task in _tasks(suite) for job in _jobs(task)}  # tasks may overlap
            name = file.name.removesuffix(".toml")
            found.append(SuiteSummary(name, len(jobs), suite.get("description", "")))
    return sorted(found)


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
