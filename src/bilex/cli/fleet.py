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
from bilex.cli.screen import command_line, json_result, note, progress, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.fleet import StageStatus
    from bilex.fleet.run import FleetEvent
    from bilex.jobs import RunProgress

PLAN_EXAMPLES = (
    "bilex fleet plan FLEET.toml",
    "bilex fleet plan FLEET.toml --nodes 1,20 --cores 32",
)
RUN_EXAMPLES = (
    "bilex fleet run FLEET.toml -o lexicons",
    "bilex fleet run FLEET.toml -o /shared/lexicons --engine ray --address 10.0.0.1:6379",
)
STATUS_EXAMPLES = ("bilex fleet status lexicons",)
REPORT_EXAMPLES = ("bilex fleet report lexicons -o report.html",)
VECTORS_EXAMPLES = ("bilex fleet vectors lexicons -o aligned   # aligned/en.vec and others",)
MOST_SHOWN = 10
"""Failures and warnings that are listed; --json lists all."""

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
    add_command(group, plan, *PLAN_EXAMPLES)
    add_command(group, run, *RUN_EXAMPLES)
    add_command(group, status, *STATUS_EXAMPLES)
    add_command(group, report, *REPORT_EXAMPLES)
    add_command(group, vectors, *VECTORS_EXAMPLES)
    app.add_typer(group, name="fleet")


def plan(
    fleet: FleetFile,
    nodes: Annotated[
        str,
        typer.Option(metavar="N,…", help="Numbers of machines, such as 1,10,100."),
    ] = "1,10,100",
    cores: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Cores of a machine. By default, those of this one."),
    ] = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Print the jobs of a fleet, and what they will cost in time, memory and disk.

    Measures this machine, for half a minute with the default method, and runs nothing else.
    """
    from bilex.fleet import load_fleet, make_plan, measure
    from bilex.fleet.inputs import check_inputs
    from bilex.fleet.links import find_links
    from bilex.fleet.plan import language_size
    from bilex.jobs.local import available_cores

    counts = _node_counts(nodes)
    each = cores or available_cores()
    found = load_fleet(fleet)
    links = find_links(found)
    check_inputs(found, links)
    measured = measure(found, language_size(found.languages[links.hub]).dim)
    made = make_plan(found, links, measured, memory=options.memory_bytes(memory))
    if as_json:
        json_result(made.to_dict(counts, each))
        return
    result(f"hub\t{made.hub}")
    result("stage\tjobs\ttime of one core\tmemory of a job\tdisk")
    for stage in made.stages:
        sizes = f"{_bytes(stage.memory)}\t{_bytes(stage.disk)}"
        result(f"{stage.stage}\t{stage.jobs:,}\t{_time(sum(stage.seconds))}\t{sizes}")
    jobs, seconds = sum(s.jobs for s in made.stages), sum(sum(s.seconds) for s in made.stages)
    result(f"all\t{jobs:,}\t{_time(seconds)}\t\t{_bytes(made.disk)}")
    result(f"machines of {each} cores\ttime\tmemory of a machine")
    for number in counts:
        memory_of_node = _bytes(made.node_memory(number, each))
        result(f"{number}\t{_time(3600 * made.hours(number, each))}\t{memory_of_node}")


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
    with the hub and then, with their help, those of all other pairs. After an interrupt, or to add
    a language, run the same command again.
    """
    from bilex.fleet import fleet_status, load_fleet, run_fleet

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
    _note_warnings(fleet_status(output))
    if any(end.failed or end.blocked for end in ends):
        note(
            f"{command_line('fleet', 'status', output)} lists what failed; repair the files and "
            "run again, or use --retry-failed if files were not the cause"
        )
        raise typer.Exit(engines.FAILED)
    note(f"next: {command_line('fleet', 'report', output, '-o', 'report.html')}")


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
    _note_warnings(stages)


def report(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="HTML file to write.")
    ] = Path("report.html"),
) -> None:
    """Write a report of the lexicons of a fleet as one HTML page.

    It has a matrix of all pairs with expected precision and size, cycle errors, and what may limit
    weak languages.
    """
    from bilex.fleet.report import write_fleet_report

    check_writable(output)
    write_fleet_report(folder, output)
    note(f"{output}: written")


def vectors(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to.")
    ],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-n", min=1, metavar="N", help="Words of each language. By default, all."
        ),
    ] = None,
) -> None:
    """Write the vectors of all languages of a fleet in one space, that of the hub.

    Each language is a text file of unit vectors. Words of different languages can be compared by
    cosine.
    """
    from bilex.fleet.aligned_languages import write_aligned_languages

    check_writable(output / "x.vec")
    with progress(f"writing {output.name}", "languages") as on_language:
        written = write_aligned_languages(folder, output, limit=limit, on_language=on_language)
    note(f"{output}: {', '.join(path.name for path in written.files)}")
    if written.missing:
        note(
            f"missing, because they are not aligned yet: {', '.join(written.missing)}; see "
            f"{command_line('fleet', 'status', folder)}"
        )


def _note_warnings(stages: list[StageStatus]) -> None:
    """Print what was noticed when languages were aligned."""
    found = [each for stage in stages for each in stage.warnings]
    for task, text in found[:MOST_SHOWN]:
        note(f"warning: {task}: {text}")
    if len(found) > MOST_SHOWN:
        note(f"{len(found) - MOST_SHOWN:,} more warnings: `bilex fleet status --json` lists all")


def _line(stage: StageStatus) -> str:
    parts = [f"{stage.stage}\t{stage.done:,} of {stage.total:,} done"]
    if stage.failures:
        parts.append(f"{len(stage.failures):,} failed")
    if stage.blocked:
        parts.append(f"{stage.blocked:,} wait for failed ones")
    if stage.missing and stage.last is not None:
        parts.append(f"last one {duration(time.time() - stage.last)} ago")
        if stage.per_minute:
            left = 60 * stage.missing / stage.per_minute
            parts.append(f"{stage.per_minute:g} per minute, about {duration(left)} left")
    return ", ".join(parts)


def _node_counts(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise SettingError(f"--nodes is {text!r}: expected numbers of machines, such as 1,10,100")
    return [int(part) for part in parts]


def _time(seconds: float) -> str:
    """Return a time as seconds, minutes or hours, whichever is short."""
    if seconds < 6_000:
        return duration(seconds)
    return f"{seconds / 3600:,.{0 if seconds >= 360_000 else 1}f} h"


def _bytes(number: int) -> str:
    for size, unit in ((2**40, "TiB"), (2**30, "GiB")):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number / 2**20:,.1f} MiB"
