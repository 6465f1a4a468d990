"""Results on disk: one file per task, written in one step, safe with several runs at once.

`jobs/KEY.json` are the current results. `old/KEY.json` are results of tasks that were changed
afterwards; they are moved back if the change is undone.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bilex.errors import InputFileError
from bilex.jobs.task import Result, Task
from bilex.storage.files import beside

Status = Literal["done", "failed"]


class Ended(NamedTuple):
    """How a task ended, and when, in seconds since 1970."""

    status: Status
    time: float


class ResultStore:
    """A folder with `jobs/KEY.json` for every task that has ended.

    The first result of a task is kept: a second run of the same task does not replace it. Only a
    failure is replaced by a success.

    Args:
        folder: The folder of `jobs` and `old`.
        restores: Whether a result in `old` is moved back if its change is undone. False for tasks
            that also write files which a later version of the task replaces.
    """

    def __init__(self, folder: Path, *, restores: bool = True) -> None:
        self.folder = folder
        self._jobs, self._old = folder / "jobs", folder / "old"
        self._restores = restores

    def path(self, key: str) -> Path:
        """Return the file of the result of a task."""
        return self._jobs / f"{key}.json"

    def status(self, key: str) -> Status | None:
        """Return how a task ended; None if it has no readable result."""
        return _status(self.path(key))

    def load(self, key: str) -> dict[str, Any] | None:
        """Return the result of a task; None if it has no readable result."""
        return _load(self.path(key))

    def keep(self, result: Result) -> bool:
        """Write a result in one step; return False if an earlier one is kept."""
        path = self.path(result["key"])
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(path)
        try:
            text = json.dumps(result, ensure_ascii=False, allow_nan=False, indent=None)
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
            return _put(temporary, path, result["status"])
        finally:
            temporary.unlink(missing_ok=True)

    def statuses(self) -> dict[str, Status]:
        """Return how each task with a readable result ended, by key."""
        return {key: ended.status for key, ended in self.ends().items()}

    def ends(self) -> dict[str, Ended]:
        """Return how and when each task with a readable result ended, by key."""
        found: dict[str, Ended] = {}
        # Without objects for paths, which would take most of the time: there may be many.
        for entry in _entries(self._jobs):
            status = _status(entry.path)
            if status is not None:
                found[entry.name.removesuffix(".json")] = Ended(status, entry.stat().st_mtime)
        return found

    def forget(self, key: str) -> None:
        """Remove the result of a task, to run it again."""
        self.path(key).unlink(missing_ok=True)

    def forget_failure(self, key: str) -> None:
        """Remove the result of a task that failed; a success is never removed."""
        path = self.path(key)
        aside = beside(path)
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        if _status(aside) == "done":  # another run was faster
            _put(aside, path, "done")
        aside.unlink(missing_ok=True)

    def bring_up_to_date(self, tasks: Sequence[Task], task_name: Callable[[Result], str]) -> None:
        """Move results of changed tasks to `old`, and back if the change was undone.

        Args:
            tasks: The current tasks. Results of other tasks are not moved.
            task_name: Returns the name of the task of a result.
        """
        current = {task.name: task.key for task in tasks}
        keys, kept = set(current.values()), _keys(self._jobs)
        for key in (_keys(self._old) & keys) - kept if self._restores else ():
            self._jobs.mkdir(parents=True, exist_ok=True)
            # If another run was faster: where a rename does not replace, the name may exist.
            with contextlib.suppress(FileNotFoundError, FileExistsError):
                (self._old / f"{key}.json").rename(self.path(key))
        for other in sorted(kept - keys):
            result = _load(self.path(other))
            if result is not None and task_name(result) in current:
                self._old.mkdir(exist_ok=True)
                with contextlib.suppress(FileNotFoundError):  # another run was faster
                    self.path(other).replace(self._old / f"{other}.json")

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield all results, sorted by key.

        Raises:
            InputFileError: If a file is not a result.
        """
        for path in sorted(self._jobs.glob("*.json")):
            result = _load(path)
            if result is None:
                raise InputFileError(path, "is not the result of a job: delete the file")
            yield result


def _put(temporary: Path, path: Path, status: Status) -> bool:
    try:
        os.link(temporary, path)  # unlike a rename, fails if another run was faster
    except FileExistsError:
        if status == "failed" or _status(path) == "done":
            return False
        temporary.replace(path)
    except OSError:  # a file system without links: the last of equal results wins
        if _status(path) == "done":
            return False
        temporary.replace(path)
    return True


def _keys(folder: Path) -> set[str]:
    return {entry.name.removesuffix(".json") for entry in _entries(folder)}


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.name.endswith(".json")]
    except FileNotFoundError:
        return []


def _status(path: Path | str) -> Status | None:
    result = _load(path)
    status = None if result is None else result.get("status")
    return status if status in ("done", "failed") else None


def _load(path: Path | str) -> dict[str, Any] | None:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a path object takes longer
            result = json.loads(file.read().decode())
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and "key" in result else None
