"""`bilex fleet`: lexicons between many languages in one run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bilex.cli import engine_options as engines
from bilex.cli import options
from bilex.cli.help_text import Group, add_command
from bilex.cli.places import check_writable
from bilex.cli.run_screen import Shown, duration, watching
from bilex.cli.screen import command_line, json_result, note, result

if TYPE_CHECKING:
    from bilex.fleet import StageStatus
    from bilex.fleet.run import FleetEvent
    from bilex.jobs import RunProgress

RUN_EXAMPLES = (
    "bilex fleet run FLEET.toml -o lexicons",
    "bilex fleet run FLEET.toml -o /shared/lexicons --engine ray --address 10.0.0.1:6379",
)
STATUS_EXAMPLES = ("bilex fleet status lexicons",)
MOST_SHOWN = 10
"""Failures that are listed; --json lists all."""

FleetFile = Annotated[
    Path, typer.Argument(metavar="FLEET", help="A .toml file with languages and seeds.")
]
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Folder written by `bilex fleet run`.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help="Make lexicons between many languages, through a hub.",
    )
    add_command(group, run, *RUN_EXAMPLES)
    add_command(group, status, *STATUS_EXAMPLES)
    app.add_typer(group, name="fleet")


def run(
    fleet: FleetFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="The folder of the lexicons. All nodes of a cluster must see it.",
        ),
    ] = ...,  # type: ignore[assignment]
    engine: engines.Engine_ = engines.EngineName.local,
    address: engines.Address = None,
    workers: engines.Workers = None,
    threads: engines.JobThreads = None,
    queue: engines.Queue = engines.DEFAULT_QUEUE,
    retry_failed: engines.RetryFailed = False,
    job_memory: engines.JobMemory = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
) -> None:
    """Make the lexicons of a fleet that are not there yet.

    Prepares the vectors of each language, aligns each language to the hub, and induces the lexicons
    of all pairs. After an interrupt, or to add a language, run the same command again.
    """
    from bilex.fleet import load_fleet, run_fleet

    check_writable(output / "fleet.json")
    chosen = engines.make_engine(engine, address, workers, threads, job_memory)
    policy = engines.make_policy(queue)
    found = load_fleet(fleet)
    shown = Shown(("running",), (), lambda task: (task.name,), lambda task: str(task.name))
    try:
        with watching(found.name, shown) as watch:

            def on_event(stage: str, progress: RunProgress[Any], event: FleetEvent) -> None:
                watch.title = f"{found.name}: {stage}"
                watch(progress, event)

            ends = run_fleet(
                found,
                output,
                chosen,
                memory=options.memory_bytes(memory),
                queue=policy,
                retry_failed=retry_failed,
                on_event=on_event,
            )
    except KeyboardInterrupt:
        note("interrupted; finished jobs are kept: run the same command again to continue")
        raise typer.Exit(engines.INTERRUPTED) from None
    for end in ends:
        blocked = f", {end.blocked:,} wait for failed ones" if end.blocked else ""
        note(
            f"{end.stage}: {engines.counted(end.total)}, {end.done:,} done, "
            f"{end.failed:,} failed{blocked}"
        )
    if any(end.failed or end.blocked for end in ends):
        note(f"see {command_line('fleet', 'status', output)}, or run with --retry-failed")
        raise typer.Exit(engines.FAILED)


def status(folder: Folder, as_json: options.Json = False) -> None:
    """Print how far each stage of a fleet is, and which jobs failed."""
    from bilex.fleet.status import fleet_status

    stages = fleet_status(folder)
    if as_json:
        for stage in stages:
            json_result(stage.to_dict())
        return
    for stage in stages:
        result(_line(stage))
    for stage in stages:
        for failure in stage.failures[:MOST_SHOWN]:
            result(f"failed: {stage.stage} {failure.task}: {failure.error} ({failure.file})")
        if len(stage.failures) > MOST_SHOWN:
            note(f"{stage.stage}: {len(stage.failures):,} failed; --json lists all")


def _line(stage: StageStatus) -> str:
    parts = [f"{stage.stage}\t{stage.done:,} of {stage.total:,} done"]
    if stage.failures:
        parts.append(f"{len(stage.failures):,} failed")
    if stage.missing and stage.last is not None:
        parts.append(f"last one {duration(time.time() - stage.last)} ago")
        if stage.per_minute:
            left = 60 * stage.missing / stage.per_minute
            parts.append(f"{stage.per_minute:g} per minute, about {duration(left)} left")
    return ", ".join(parts)
