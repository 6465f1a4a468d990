"""Tasks that are no benchmark jobs: squares of numbers, looked up in a table."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bilex.jobs.task import Load, Result

UNLUCKY = 13
"""The number whose task raises an error."""

DEADLY = 7
"""The number whose task kills its process."""

loaded: list[Table] = []
"""All tables that this process has loaded."""


@dataclass(frozen=True)
class Square:
    """The task of squaring a number; numbers with the same table make a group."""

    number: int
    table: int = 0
    version: int = 1

    @property
    def key(self) -> str:
        return f"{self.name}-v{self.version}"

    @property
    def name(self) -> str:
        return f"square-{self.number}"

    @property
    def group(self) -> int:
        return self.table

    @property
    def kind(self) -> str:
        return "square"


@dataclass(frozen=True)
class Table:
    """The squares of small numbers."""

    number: int

    def load(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        loaded.append(self)
        if self.number < 0:
            raise FileNotFoundError(f"no table {self.number}")
        return np.arange(100, dtype=np.int64) ** 2


@dataclass(frozen=True)
class Squaring:
    """Looks the squares up."""

    offset: int = 0

    def inputs(self, task: Square) -> Sequence[Table]:
        return [Table(task.table)]

    def run(self, task: Square, load: Load) -> Result:
        (table,) = load()
        assert isinstance(table, np.ndarray)
        if task.number == UNLUCKY:
            raise ArithmeticError("thirteen")
        if task.number == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        return {
            "key": task.key,
            "status": "done",
            "name": task.name,
            "square": int(table[task.number]) + self.offset,
            "process": os.getpid(),
            "copied": bool(table.flags.writeable),
        }

    def failed(self, task: Square, problem: BaseException) -> Result:
        error = f"{type(problem).__name__}: {problem}"
        return {"key": task.key, "status": "failed", "name": task.name, "error": error}

    def memory_needed(self, task: Square, input_bytes: int) -> int:
        return 2**26 + input_bytes

    def task_name(self, result: Result) -> str:
        return str(result.get("name"))
