"""Results on disk: one file a job, complete or absent, safe with several runs at once.

`jobs/KEY.json` are the results that count; `old/KEY.json` are those of jobs that were edited
since, brought back if the edit is undone.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from bilex.benchmark.execution import Result
from bilex.benchmark.jobs import Job
from bilex.errors import InputFileError
from bilex.files import beside

Status = Literal["done", "failed"]


class ResultStore:
    """A folder with `jobs/KEY.json` for every job that ended.

    The first result of a job stays: another run that did the same job leaves it alone. Only a
    failure gives way to a success.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs, self._old = folder / "jobs", folder / "old"

    def path(self, key: str) -> Path:
        """Return where the result of a job is kept."""
        return self._jobs / f"{key}.json"

    def status(self, key: str) -> Status | None:
        """Return how a job ended; None if it has no result, or none that can be read."""
        return _status(self.path(key))

    def keep(self, result: Result) -> bool:
        """Write a result in one step; return False if there was one already that stays."""
        path = self.path(result["key"])
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(path)
        try:
            text = json.dumps(result, ensure_ascii=False, allow_nan=False, indent=None)
            temporary.write_text(text + "\n", encoding="utf-8")
            return _put(temporary, path, result["status"])
        finally:
            temporary.unlink(missing_ok=True)

    def forget_failure(self, key: str) -> None:
        """Remove the result of a job that failed; a success is never removed."""
        path = self.path(key)
        aside = beside(path)
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        if _status(aside) == "done":  # another run was faster
            with contextlib.suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()

    def bring_up_to_date(self, jobs: Sequence[Job]) -> None:
        """Set aside results of these jobs as they were before an edit; nothing is deleted."""
        for job in jobs:
            kept, old = self.path(job.key), self._old / f"{job.key}.json"
            if old.exists() and not kept.exists():
                kept.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileNotFoundError):
                    old.rename(kept)
        current = {_name(job.suite, job.identity): job.key for job in jobs}
        for path in sorted(self._jobs.glob("*.json")):
            result = _load(path) or {}
            key = current.get(_name(result.get("suite"), result.get("job")))
            if key is not None and key != result["key"]:
                self._old.mkdir(exist_ok=True)
                with contextlib.suppress(FileNotFoundError):  # another run was faster
                    path.replace(self._old / path.name)

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield all results, by key.

        Raises:
            InputFileError: If a file is not a result.
        """
        for path in sorted(self._jobs.glob("*.json")):
            result = _load(path)
            if result is None:
                raise InputFileError(path, "is not a result of bilex bench: remove it")
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


def _name(suite: object, identity: object) -> str:
    """Name a job whatever its settings; its pair's name is left out, being made of the rest."""
    facts = dict(identity) if isinstance(identity, dict) else {}
    facts.pop("pair", None)
    return json.dumps([suite, facts], sort_keys=True)


def _status(path: Path) -> Status | None:
    result = _load(path)
    status = None if result is None else result.get("status")
    return status if status in ("done", "failed") else None


def _load(path: Path) -> dict[str, Any] | None:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and "key" in result else None
