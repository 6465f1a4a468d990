"""`bilex bench`: run suites of jobs, score other systems, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import engine_options as engines
from bilex.cli import options
from bilex.cli.bench_screen import job_name, watching
from bilex.cli.help_text import Group, add_command
from bilex.cli.places import check_writable, warn_if_same
from bilex.cli.screen import command_line, json_result, note, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.benchmark import FileHashes, Job, ResultStore

RUN_EXAMPLES = (
    "bilex bench run smoke -o results",
    "bilex bench run smoke -o results --dry-run",
    "bilex bench run mine.toml -o results --only method=bilex,pair=en-fi",
)
LIST_EXAMPLES = ("bilex bench list",)
ADD_EXAMPLES = (
    "bilex bench add-vectors vecmap en.mapped.vec fi.mapped.vec --suite mine.toml --pair en-fi "
    "-o results",
)
REPORT_EXAMPLES = ("bilex bench report results -o report.html",)
HASHES = "file-hashes.json"

_SHOWN = ("lexicon", "pair", "method", "seeds", "draw")  # of a job, in a list

SuiteName = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A name that `bilex bench list` shows, or a .toml file."),
]
Data = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="The folder that paths in the suite are relative to."),
]
Results = Annotated[
    Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder of the results.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help="Compare methods on many language pairs and seed sizes.",
    )
    add_command(group, run, *RUN_EXAMPLES)
    add_command(group, list_suites, *LIST_EXAMPLES, name="list")
    add_command(group, add_vectors, *ADD_EXAMPLES)
    add_command(group, report, *REPORT_EXAMPLES)
    app.add_typer(group, name="bench")


def run(
    suite: SuiteName,
    output: Results = ...,  # type: ignore[assignment]
    data: Data = None,
    engine: engines.Engine_ = engines.EngineName.local,
    address: engines.Address = None,
    workers: engines.Workers = None,
    threads: engines.JobThreads = None,
    queue: engines.Queue = engines.DEFAULT_QUEUE,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE,…",
            help="Run only some of the jobs: method=…,pair=…,seeds=…,draw=…",
        ),
    ] = None,
    retry_failed: engines.RetryFailed = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the jobs and their status; run nothing.")
    ] = False,
    job_memory: engines.JobMemory = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    as_json: options.Json = False,
) -> None:
    """Run the jobs of a suite that have no result yet.

    After an interrupt, run the same command again to continue. --json is for --dry-run.
    """
    from bilex.benchmark import (
        BenchmarkWork,
        ResultStore,
        expand,
        filter_jobs,
        load_suite,
        run_jobs,
    )

    if as_json and not dry_run:
        raise SettingError(
            "--json is for --dry-run: results are JSON files in the folder that -o names"
        )
    check_writable(output / "jobs")
    folder = options.cache_folder(cache, no_cache)
    chosen = engines.make_engine(engine, address, workers, threads, job_memory)
    policy = engines.make_policy(queue)
    work = BenchmarkWork(cache=folder, memory=options.memory_bytes(memory))
    found = load_suite(suite)
    hashes = _hashes(folder)
    jobs = [job.with_hashes(hashes) for job in filter_jobs(expand(found, data), only or [])]
    hashes.save()
    store = ResultStore(output)
    if dry_run:
        _list_jobs(jobs, store, as_json=as_json)
        return
    try:
        with watching(found.name) as on_event:
            ended = run_jobs(
                jobs,
                store,
                chosen,
                work=work,
                queue=policy,
                retry_failed=retry_failed,
                on_event=on_event,
            )
    except KeyboardInterrupt:
        note("interrupted; finished jobs are kept: run the same command again to continue")
        raise typer.Exit(engines.INTERRUPTED) from None
    failed = _note_end(jobs, store)
    if ended.total and not failed:
        note(f"next: {command_line('bench', 'report', output, '-o', 'report.html')}")
    if failed:
        raise typer.Exit(engines.FAILED)


def list_suites(as_json: options.Json = False) -> None:
    """List the suites of bilex."""
    from bilex.benchmark import list_suites as suites

    for suite in suites():
        if as_json:
            json_result(suite._asdict())
        else:
            result(f"{suite.name}\t{suite.jobs:,} jobs\t{suite.description}")


def add_vectors(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the other tool in results.")
    ],
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Its vectors of the source language.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="Its vectors of the target language.")
    ],
    suite: Annotated[
        str,
        typer.Option(metavar="SUITE", help="The suite with the test set: a name or a .toml file."),
    ],
    pair: Annotated[
        str, typer.Option(metavar="SOURCE-TARGET", help="Pair and direction, such as en-fr.")
    ],
    output: Results = ...,  # type: ignore[assignment]
    data: Data = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="How many seeds the other tool was given; 0 for none."
        ),
    ] = None,
    draw: Annotated[
        int, typer.Option(metavar="N", min=0, help="The number of the draw of seeds.")
    ] = 0,
    lexicon: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The lexicon, if the suite has several for the pair."),
    ] = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
) -> None:
    """Score vectors that another tool has aligned.

    Vectors are scaled to length 1. Prints the file of the result.
    """
    from bilex.benchmark import BenchmarkWork, ResultStore, external_job, load_suite, run_jobs
    from bilex.jobs import InlineEngine

    check_writable(output / "jobs")
    warn_if_same(source, target, consequence="give the vectors of two languages")
    folder = options.cache_folder(cache, no_cache)
    hashes = _hashes(folder)
    job = external_job(
        load_suite(suite),
        name,
        (source, target),
        pair,
        data=data,
        hashes=hashes,
        seeds=seeds,
        draw=draw,
        lexicon=lexicon,
    )
    hashes.save()
    store = ResultStore(output)
    work = BenchmarkWork(cache=folder, memory=options.memory_bytes(memory))
    run_jobs([job], store, InlineEngine(), work=work, retry_failed=True)
    if _note_end([job], store):
        raise typer.Exit(engines.FAILED)
    result(str(store.path(job.key)))


def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="Folder written by `bilex bench run`.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="HTML file to write.")
    ] = Path("report.html"),
) -> None:
    """Write a report of all results as one HTML page.

    It has tables, curves and significance tests. Tables are also written as files to the folder
    OUTPUT-tables.
    """
    from bilex.benchmark.report import write_report

    check_writable(output)
    write_report(results, output)
    note(f"{output}: written")


def _hashes(cache: Path | None) -> FileHashes:
    from bilex.benchmark import FileHashes

    return FileHashes(None if cache is None else cache / HASHES)


def _list_jobs(jobs: list[Job], store: ResultStore, *, as_json: bool) -> None:
    counts: dict[str, int] = {}
    for job in jobs:
        status = store.status(job.key) or "missing"
        counts[status] = counts.get(status, 0) + 1
        columns = {name: job.identity[name] for name in _SHOWN}
        if as_json:
            json_result({"status": status, **columns, "key": job.key})
        else:
            result("\t".join([status, *map(str, columns.values()), job.key]))
    found = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))
    note(f"{engines.counted(len(jobs))}: {found or 'none'}")


def _note_end(jobs: list[Job], store: ResultStore) -> bool:
    """Print how many jobs are done and which failed; return whether any did."""
    from bilex.benchmark import standing

    found = standing(jobs, store)
    note(f"{engines.counted(len(jobs))}: {len(found.done):,} done, {len(found.failed):,} failed")
    for job in found.failed:
        note(f"failed: {job_name(job)}: see {store.path(job.key)}, or run with --retry-failed")
    return bool(found.failed)
