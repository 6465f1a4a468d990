"""Run the stages of a fleet one after the other; each runs only what has no result yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from bilex.errors import warn_user
from bilex.fleet.align import AlignWork
from bilex.fleet.fleet import Fleet
from bilex.fleet.folder import STAGES, FleetFolder
from bilex.fleet.induce import InduceWork
from bilex.fleet.inputs import check_inputs
from bilex.fleet.lexicon_file import require_pyarrow
from bilex.fleet.links import Links, find_links
from bilex.fleet.prepare import PrepareWork
from bilex.fleet.tasks import FleetTask, FleetTasks, make_tasks, with_sizes
from bilex.jobs import Engine, Event, QueuePolicy, ResultStore, RunProgress, run_tasks
from bilex.jobs.task import Result, Work
from bilex.storage.hashes import FileHashes
from bilex.values import Compute

HASHES = "file-hashes.json"
"""In the folder of the fleet: hashes of input files, which are not read again if unchanged."""

OTHERS_SHOWN = 5

FleetEvent: TypeAlias = Event[FleetTask, Result]
OnFleetEvent: TypeAlias = Callable[[str, RunProgress[FleetTask], FleetEvent], None]
"""Called with the stage, its progress and the event."""

TaskT = TypeVar("TaskT", bound=FleetTask, contravariant=True)


class FleetWork(Work[TaskT, Result], Protocol[TaskT]):
    """The work of a stage, which knows what its tasks write."""

    def files(self, task: TaskT) -> tuple[Path, ...]:
        """Return what a task writes besides its result."""
        ...


@dataclass(frozen=True, slots=True)
class StageEnd:
    """How a stage ended: the numbers of its tasks."""

    stage: str
    done: int
    failed: int
    blocked: int  # tasks whose inputs failed

    @property
    def total(self) -> int:
        """Return the number of all tasks."""
        return self.done + self.failed + self.blocked


def run_fleet(
    fleet: Fleet,
    output: Path,
    engine: Engine,
    *,
    memory: int = Compute().memory,
    queue: QueuePolicy | str = "grouped",
    retry_failed: bool = False,
    on_event: OnFleetEvent | None = None,
) -> list[StageEnd]:
    """Run what has no result yet: prepare languages, align them to the hub, induce lexicons.

    Lexicons with the hub come first; those of other pairs need them for triangulation.

    A task whose inputs failed is not run. Run again after an interrupt to continue.

    Args:
        fleet: The fleet.
        output: The folder of the fleet; on a cluster, a folder that all nodes share.
        engine: Executes the tasks.
        memory: Bytes that a search may use; it does not change the results.
        queue: Decides the order within a stage: a policy, or the name of a `queue` plugin.
        retry_failed: Whether tasks that failed in an earlier run are run again.
        on_event: Called after each task that begins or ends.

    Raises:
        InputFileError: If a file of vectors or seeds is missing, or seeds cannot be read.
        MissingExtraError: If pyarrow is not installed.
    """
    require_pyarrow()
    folder = FleetFolder(output.absolute())
    links = find_links(fleet)
    check_inputs(fleet, links)
    if others := folder.other_lexicons(fleet.pairs):
        warn_user(_others_stay(folder, others))
    hashes = FileHashes(folder.root / HASHES)
    tasks = make_tasks(fleet, links, hashes.sha256)
    hashes.save()
    folder.write_contents(_contents(fleet, links, tasks))
    lexicons = InduceWork(folder=folder, memory=memory)
    works: dict[str, FleetWork[Any]] = {
        "prepare": PrepareWork(folder=folder),
        "align": AlignWork(folder=folder, memory=memory),
        "induce": lexicons,
        "triangulate": lexicons,
    }
    done: set[str] = set()
    ends: list[StageEnd] = []
    with engine.session():
        for stage in STAGES:
            store, work = folder.store(stage), works[stage]
            all_tasks = tasks.by_stage()[stage]
            ready = [task for task in all_tasks if done.issuperset(task.needs)]
            if stage != "prepare":
                sizes = _vector_bytes(folder, tasks)
                ready = [with_sizes(cast(Any, task), sizes) for task in ready]
            _forget_without_files(ready, work, store)
            run_tasks(
                ready,
                work,
                store,
                engine,
                queue=queue,
                retry_failed=retry_failed,
                on_event=None if on_event is None else _of_stage(stage, on_event),
            )
            found = store.statuses()
            ended = {task.key for task in ready if found.get(task.key) == "done"}
            done |= ended
            blocked = len(all_tasks) - len(ready)
            ends.append(StageEnd(stage, len(ended), len(ready) - len(ended), blocked))
    return ends


def _forget_without_files(
    tasks: Sequence[FleetTask], work: FleetWork[Any], store: ResultStore
) -> None:
    """Remove results whose files were deleted, so that their tasks are run again."""
    found = store.statuses()
    for task in tasks:
        if found.get(task.key) == "done" and not all(path.exists() for path in work.files(task)):
            store.forget(task.key)


def _vector_bytes(folder: FleetFolder, tasks: FleetTasks) -> dict[str, int]:
    wanted = {task.key for task in tasks.prepare}
    results = folder.store("prepare").read()
    return {
        result["key"]: int(result.get("vector_bytes", 0))
        for result in results
        if result["key"] in wanted
    }


def _of_stage(
    stage: str, on_event: OnFleetEvent
) -> Callable[[RunProgress[FleetTask], FleetEvent], None]:
    return lambda progress, event: on_event(stage, progress, event)


def _others_stay(folder: FleetFolder, others: Sequence[tuple[str, str]]) -> str:
    shown = ", ".join("-".join(pair) for pair in others[:OTHERS_SHOWN])
    more = ", …" if len(others) > OTHERS_SHOWN else ""
    return (
        f"{folder.root.name} has lexicons that are not of this fleet ({len(others):,}: {shown}"
        f"{more}): they stay as they are; delete their folders in lexicons/, or choose another "
        "output folder, if they should not be read with the others"
    )


def _contents(fleet: Fleet, links: Links, tasks: FleetTasks) -> dict[str, Any]:
    return {
        "name": fleet.name,
        "hub": links.hub,
        "parents": dict(links.parents),
        "languages": list(fleet.languages),
        "formats": list(fleet.formats),
        "selection": dataclasses.asdict(fleet.selection),
        "method": {name: dict(table) for name, table in fleet.method.tables.items()},
        "stages": tasks.listed(),
    }
