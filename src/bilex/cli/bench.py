"""`bilex bench`: run suites of jobs, score other systems, report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.bench_screen import job_name, watching
from bilex.cli.screen import note, result

if TYPE_CHECKING:
    from bilex.benchmark import Engine, FileHashes, Job, ResultStore
    from bilex.jobs import QueuePolicy

EXAMPLE = "Example: `bilex bench run smoke -o results`"
HASHES = "file-hashes.json"
FAILED, INTERRUPTED = 1, 130

SuiteName = Annotated[str, typer.Argument(help="See `bilex bench list`, or a .toml file.")]
Data = Annotated[Path | None, typer.Option(help="Folder that paths in the suite are relative to.")]
Results = Annotated[Path, typer.Option("--output", "-o", help="Folder of results.")]


class EngineName(StrEnum):
    """What runs jobs."""

    local = "local"
    ray = "ray"
    inline = "inline"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Compare methods on many pairs and seeds.")
    group.command("run", epilog=EXAMPLE)(run)
    group.command("list")(list_suites)
    group.command("add-vectors")(add_vectors)
    group.command("report")(report)
    app.add_typer(group, name="bench")


def run(
    suite: SuiteName,
    output: Results = ...,  # type: ignore[assignment]
    data: Data = None,
    engine: Annotated[EngineName, typer.Option(help="What runs the jobs.")] = EngineName.local,
    address: Annotated[
        str | None,
        typer.Option(help="Address of a running Ray cluster; by default, one is started here."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Jobs at once on this machine; as many as cores by default."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of a job; cores / workers by default.")
    ] = None,
    queue: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Order of jobs: grouped (by vectors), in-order, or a plugin."
        ),
    ] = "grouped",
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE,…", help="Run some jobs only: method=…,pair=…,seeds=…,draw=…"
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run jobs again that failed in an earlier run.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the jobs and their status; run nothing.")
    ] = False,
    job_memory: Annotated[
        str | None,
        typer.Option(help="Memory that a job reserves on Ray, such as 4GiB; estimated by default."),
    ] = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
) -> None:
    """Run the jobs of a suite that have no result yet; run it again to continue."""
    from bilex.benchmark import (
        BenchmarkWork,
        ResultStore,
        expand,
        filter_jobs,
        load_suite,
        run_jobs,
    )

    folder = options.cache_folder(cache, no_cache)
    chosen, policy = _engine(engine, address, workers, threads, job_memory), _policy(queue)
    work = BenchmarkWork(cache=folder, memory=options.memory_bytes(memory))
    found = load_suite(suite)
    hashes = _hashes(folder)
    jobs = [job.with_hashes(hashes) for job in filter_jobs(expand(found, data), only or [])]
    hashes.save()
    store = ResultStore(output)
    if dry_run:
        _list_jobs(jobs, store)
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
        note("interrupted: finished jobs are kept; run the same command again to continue")
        raise typer.Exit(INTERRUPTED) from None
    failed = _note_end(jobs, store)
    if ended.total and not failed:
        note(f"try: bilex bench report {output} -o report.html")
    if failed:
        raise typer.Exit(FAILED)


def list_suites() -> None:
    """List the suites that come with bilex."""
    from bilex.benchmark import expand, load_suite, suite_names

    for name in suite_names():
        suite = load_suite(name)
        jobs = len(expand(suite, Path()))
        result(f"{name}\t{jobs:,} jobs\t{suite.description}")


def add_vectors(
    name: Annotated[str, typer.Argument(help="Name of the system in results.")],
    source: Annotated[Path, typer.Argument(help="Its vectors of the source language.")],
    target: Annotated[Path, typer.Argument(help="Its vectors of the target language.")],
    suite: Annotated[str, typer.Option(help="Suite with the test set: a name or a .toml file.")],
    pair: Annotated[str, typer.Option(help="Pair and direction, such as en-fr.")],
    output: Results = ...,  # type: ignore[assignment]
    data: Data = None,
    seeds: Annotated[
        int | None, typer.Option(min=0, help="Number of seeds it was trained with; 0 for none.")
    ] = None,
    draw: Annotated[int, typer.Option(min=0, help="Number of the draw of seeds.")] = 0,
    lexicon: Annotated[
        str | None, typer.Option(help="Lexicon, if the suite has several for the pair.")
    ] = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
) -> None:
    """Score vectors that another tool has aligned; rows are scaled to length 1."""
    from bilex.benchmark import BenchmarkWork, ResultStore, external_job, load_suite, run_jobs
    from bilex.jobs import InlineEngine

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
        raise typer.Exit(FAILED)
    result(str(store.path(job.key)))


def report(
    results: Annotated[Path, typer.Argument(help="Folder written by `bilex bench run`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path(
        "report.html"
    ),
) -> None:
    """Write one HTML page about all results, with tables, curves and significance tests."""
    from bilex.benchmark.report import write_report

    write_report(results, output)
    note(f"{output}: written")


def _engine(
    name: EngineName,
    address: str | None,
    workers: int | None,
    threads: int | None,
    job_memory: str | None,
) -> Engine:
    """Make the engine; an option that it would ignore is an error."""
    from bilex.errors import SettingError

    if name is not EngineName.ray and (address is not None or job_memory is not None):
        raise SettingError(f"--address and --job-memory are for --engine ray, not {name.value}")
    if name is EngineName.ray:
        from bilex.jobs.ray import RayEngine, import_ray

        import_ray()  # an error comes before files are hashed
        return RayEngine(
            address=address,
            workers=workers,
            threads=threads or 1,
            job_memory=None if job_memory is None else options.memory_bytes(job_memory),
        )
    if name is EngineName.inline:
        from bilex.jobs.inline import InlineEngine

        if workers is not None or threads is not None:
            raise SettingError("--workers and --threads are for other engines than inline")
        return InlineEngine()
    from bilex.jobs.local import LocalEngine, available_cores

    return LocalEngine(
        workers=workers or max(1, available_cores() // (threads or 1)), threads=threads
    )


def _policy(name: str) -> QueuePolicy:
    """Make the queue policy; an unknown name is an error that lists those installed."""
    from bilex.registry import plugin_class

    policy: QueuePolicy = plugin_class("queue", name)()
    return policy


def _hashes(cache: Path | None) -> FileHashes:
    from bilex.benchmark import FileHashes

    return FileHashes(None if cache is None else cache / HASHES)


def _list_jobs(jobs: list[Job], store: ResultStore) -> None:
    counts: dict[str, int] = {}
    for job in jobs:
        status = store.status(job.key) or "missing"
        counts[status] = counts.get(status, 0) + 1
        facts = job.identity
        columns = [facts[name] for name in ("lexicon", "pair", "method", "seeds", "draw")]
        result("\t".join([status, *map(str, columns), job.key]))
    found = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))
    note(f"{_counted(jobs)}: {found or 'none'}")


def _note_end(jobs: list[Job], store: ResultStore) -> bool:
    """Print how many jobs are done and which failed; return whether any did."""
    from bilex.benchmark import standing

    found = standing(jobs, store)
    note(f"{_counted(jobs)}: {len(found.done):,} done, {len(found.failed):,} failed")
    for job in found.failed:
        note(f"failed: {job_name(job)}: see {store.path(job.key)}, or run with --retry-failed")
    return bool(found.failed)


def _counted(jobs: list[Job]) -> str:
    return "1 job" if len(jobs) == 1 else f"{len(jobs):,} jobs"
