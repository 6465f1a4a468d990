"""`bilex bench` as people type it."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import Path

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import read
from bilex.benchmark import Job, JobProgress, Started
from bilex.cli.bench_screen import watching
from conftest_types import Bilex

INLINE = ("--engine", "inline", "-o", "r")


@pytest.fixture
def bilex(bilex: Bilex) -> Bilex:
    """Run a command of `bilex bench`."""
    return partial(bilex, "bench")


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return write_suite(write_data(tmp_path / "data"))


def test_a_run_does_what_is_missing_and_says_so(bilex: Bilex, suite: str, tmp_path: Path) -> None:
    planned = bilex("run", suite, *INLINE, "--dry-run")
    assert planned.code == 0
    assert len(planned.out.splitlines()) == 8
    assert planned.out.startswith("missing\ttwins\ts-t\tprocrustes\t10\t0\t")
    assert planned.err == "8 jobs: 8 missing\n"
    assert not (tmp_path / "r").exists()

    some = bilex("run", suite, *INLINE, "--only", "method=short,seeds=10")
    assert some.code == 0
    assert "2 jobs: 2 done, 0 failed" in some.err
    assert bilex("run", suite, *INLINE, "--dry-run").err == "8 jobs: 2 done, 6 missing\n"
    assert (tmp_path / "cache" / "file-hashes.json").exists()

    rest = bilex("run", suite, *INLINE)
    assert "8 jobs: 8 done, 0 failed" in rest.err
    assert "bilex bench report r" in rest.err
    assert len(read(tmp_path / "r")) == 8


def test_failures_are_reported_and_make_the_exit_code(bilex: Bilex, tmp_path: Path) -> None:
    greedy = SUITE.replace('{ 10 = "train.10.tsv", 30 = "train.30.tsv" }', '"train.30.tsv"')
    path = write_suite(write_data(tmp_path / "data"), greedy.replace("[10, 30]", "[10, 99]"))
    done = bilex("run", path, *INLINE, "--only", "method=procrustes,draw=0")
    assert done.code == 1
    assert "failed: s-t procrustes, 99 seeds, draw 0: EmptyLexiconError: 99 source" in done.err
    assert "2 jobs: 1 done, 1 failed" in done.err
    assert "or run with --retry-failed" in done.err
    assert bilex("run", path, *INLINE, "--retry-failed", "--only", "draw=0").code == 1


def test_vectors_of_another_tool_are_added(bilex: Bilex, suite: str, tmp_path: Path) -> None:
    files = ("data/s.vec", "data/t.vec")
    options = ("--suite", suite, "--pair", "s-t", "-o", "r")
    done = bilex("add-vectors", "other", *files, *options, "--seeds", "10")
    assert done.code == 0
    (result,) = read(tmp_path / "r").values()
    assert done.out == f"r/jobs/{result['key']}.json\n"
    assert result["job"]["method"] == "other"
    unclear = bilex("add-vectors", "other", *files, *options)
    assert unclear.code == 2
    assert "give the number of seeds that the system was trained with" in unclear.err


def test_suites_are_listed(bilex: Bilex) -> None:
    done = bilex("list")
    assert done.code == 0
    assert [line.split("\t")[0] for line in done.out.splitlines()][:2] == ["core", "full"]
    assert "168 jobs" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("core", "-o", "r"), "suite 'core' has no data folder"),
        (("smoke", "--data", "nowhere", "-o", "r"), "nowhere/en.vec.gz: no such file"),
        (("smok", "-o", "r"), "no suite is called 'smok' (did you mean 'smoke'?)"),
        (("smoke", "-o", "r", "--address", "x"), "--address and --job-memory are for --engine ray"),
        (("smoke", "-o", "r", "--engine", "inline", "--workers", "2"), "not for --engine inline"),
        (("smoke", "-o", "r", "--only", "x", "--data", "."), "cannot understand 'x'"),
    ],
)
def test_mistakes_are_one_line(bilex: Bilex, arguments: tuple[str, ...], message: str) -> None:
    done = bilex("run", *arguments)
    assert done.code == 2
    assert message in done.err


def test_an_engine_that_is_not_installed_is_an_error_with_a_fix(
    bilex: Bilex, suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = bilex("run", suite, "-o", "r", "--engine", "ray")
    assert done.code == 2
    assert 'pip install "bilex[scale]"; or use --engine local' in done.err


def test_an_interrupt_says_how_to_go_on(
    bilex: Bilex, suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bilex.benchmark.run_jobs", stop)
    done = bilex("run", suite, *INLINE)
    assert done.code == 130
    assert "run the same command again to continue" in done.err


class Terminal(io.StringIO):
    """A file that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def begun(jobs: list[Job]) -> JobProgress:
    progress = JobProgress(total=8, before=3)
    for job in jobs:
        progress.expect(job)
    progress.start(jobs[0])
    progress.end(jobs[0], {"status": "done"})
    progress.start(jobs[1])
    return progress


def test_a_terminal_shows_what_is_running(suite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = jobs_of(suite)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with watching("twins") as on_event:
        on_event(begun(jobs), Started(jobs[1]))
    shown = screen.getvalue()
    assert "twins: 1 of 8 jobs, 3 finished earlier, 1 running" in shown
    assert "left" in shown
    assert "s-t" in shown


def test_a_log_gets_a_line_now_and_then(
    suite: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = jobs_of(suite)
    progress = begun(jobs)
    with watching("twins") as on_event:
        on_event(progress, Started(jobs[1]))  # the first of a stage
        message = capsys.readouterr().err
        assert message.startswith("twins: 1 of 8 jobs, 3 finished earlier, 1 running, ")
        assert len(message.splitlines()) == 1
        on_event(progress, Started(jobs[1]))
        assert capsys.readouterr().err == ""
        on_event(begun(jobs), Started(jobs[1]))  # of another one
        assert len(capsys.readouterr().err.splitlines()) == 1
        monkeypatch.setattr("bilex.cli.run_screen.SECONDS_BETWEEN_LINES", 0.0)
        on_event(progress, Started(jobs[1]))
        assert len(capsys.readouterr().err.splitlines()) == 1
