"""A page that does not do what it shows fails, and the message says where and how."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from pages.blocks import Page
from pages.folders import PageFolders
from pages.running import Outcome, PageFolder, run_page

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="needs bash"
)

RunText = Callable[[str], Outcome]


@pytest.fixture
def where(tmp_path: Path) -> PageFolder:
    (tmp_path / "examples").mkdir()
    return PageFolders(tmp_path / "session", tmp_path / "examples", fits=False).new("page")


@pytest.fixture
def run_text(page: Callable[[str], Page], where: PageFolder) -> RunText:
    return lambda text: run_page(page(text), where, seconds=10)


def test_a_page_that_does_what_it_shows(run_text: RunText) -> None:
    outcome = run_text(
        "```bash\nmkdir new && cd new\nexport GONE=1\n```\n"
        "```console\n$ basename $(pwd)\nnew\n$ echo 0.50; echo a note >&2\n0.51\na note\n```\n"
        "```python\nimport os\nnumber = 41\n```\n"
        "```python\nprint(number + 1, os.path.basename(os.getcwd()))\n```\n"
        "<!-- output -->\n```text\n42 new\n```\n"
        "<!-- not run: needs the network -->\n```bash\nfalse\n```\n"
        "```text\nnothing\n```\n"
    )

    assert outcome == Outcome("page.md", 4, [(25, "needs the network")], [])


def test_the_sample_is_there_and_the_network_is_not(run_text: RunText) -> None:
    outcome = run_text(
        "```bash\ntest -f en.vec.gz -a -f es.txt.gz -a -f seeds.tsv -a -f test.tsv\n```\n"
        "```python\nimport urllib.request\nurllib.request.urlopen('https://example.org')\n```\n"
    )

    (failure,) = outcome.failures
    assert "Connection refused" in failure


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("```bash\nfalse\necho not reached\n```\n", ["page.md:2:", "exit status 1"]),
        ("```bash\nfalse | true\n```\n", ["exit status 1"]),
        ("```bash\necho $UNKNOWN_NAME\n```\n", ["UNKNOWN_NAME: unbound variable"]),
        ("```console\n$ echo b\na\n```\n", ["page.md:2:", "-a", "+b"]),
        ("```console\n$ echo b\n```\n", ["+b"]),
        ("```console\n$ false\n```\n", ["exit status 1"]),
        ("```console\n$ echo 'bilex: no'\nbilex: no\n```\n", ["but the command succeeded"]),
        ("```console\na\n```\n", ["begins with a command"]),
        ("```python\nx = 1\n\nx / 0\n```\n", ['page.md", line 4', "ZeroDivisionError"]),
        ("```python\nraise SystemExit\n```\n", ["SystemExit"]),
        ("```python\nimport os\nos._exit(3)\n```\n", ["Python ended"]),
        (
            "```python\nprint(1)\n```\n<!-- output -->\n```text\n2\n```\n",
            ["page.md:6:", "-2", "+1"],
        ),
        ("```bash\necho a\n```\n<!-- output -->\n```text\nb\n```\n", ["-b", "+a"]),
        ("```sh\nls\n```\n", ["the language 'sh'"]),
        ("<!-- not run: -->\n```bash\nls\n```\n", ["needs a reason"]),
    ],
)
def test_a_page_that_does_not_fails(run_text: RunText, text: str, messages: list[str]) -> None:
    (failure,) = run_text(text).failures

    assert all(message in failure for message in messages), failure


def test_a_command_may_fail_as_the_page_shows(run_text: RunText) -> None:
    text = "```console\n$ bash -c 'echo bilex: no such file; exit 2'\nbilex: no such file\n```\n"

    assert run_text(text).failures == []


def test_all_failures_of_a_page_are_reported(run_text: RunText) -> None:
    outcome = run_text("```bash\nfalse\n```\n```python\n1 / 0\n```\n```python\nprint(1)\n```\n")

    assert (outcome.executed, len(outcome.failures)) == (3, 2)


def test_what_takes_too_long_is_ended(page: Callable[[str], Page], where: PageFolder) -> None:
    text = "```bash\nsleep 60\n```\n```python\nimport time\ntime.sleep(60)\n```\n"
    begin = time.monotonic()

    outcome = run_page(page(text), where, seconds=0.3)

    assert all("not finished after 0.3 s" in failure for failure in outcome.failures)
    assert (len(outcome.failures), time.monotonic() - begin < 10) == (2, True)


def test_a_plugin_that_is_declared_is_installed(run_text: RunText) -> None:
    outcome = run_text(
        "```python\nclass Plugin:\n    name = 'mine'\n```\n"
        '```toml\n[project.entry-points."bilex.supervised"]\nmine = "my_package.part:Plugin"\n```\n'
        "```console\n$ python -c 'from importlib.metadata import entry_points as e; "
        'print(e(group="bilex.supervised")["mine"].load().name)\'\nmine\n```\n'
    )

    assert outcome.failures == []


@pytest.fixture
def bilex_once() -> ModuleType:
    return importlib.import_module("pages.bilex_once")  # not on Windows


def test_a_long_command_runs_once(
    bilex_once: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    program = tmp_path / "bilex"
    program.write_text('#!/bin/sh\necho "run $*"; echo note >&2; mkdir -p m; date +%N > m/time\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(sys, "argv", ["bilex", "fit", "a.vec", "-o", "m"])
    monkeypatch.setenv("BILEX_ONCE", str(tmp_path / "once"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    times, printed = [], []
    for vectors in ("a", "a", "b"):
        Path("a.vec").write_text(vectors)
        assert bilex_once.main() == 0
        times.append(Path("m/time").read_text())
        printed.append(capfd.readouterr())

    assert times[0] == times[1] != times[2]
    assert printed[0] == printed[1] == ("run fit a.vec -o m\n", "note\n")


def test_other_commands_always_run(bilex_once: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def start(program: str, arguments: list[str]) -> None:
        started.append(arguments[1:])
        raise SystemExit

    monkeypatch.setattr(os, "execv", start)
    for arguments in (["translate", "m"], ["fit", "a", "-o", "m", "--resume"], ["fit", "--help"]):
        monkeypatch.setattr(sys, "argv", ["bilex", *arguments])
        with pytest.raises(SystemExit):
            bilex_once.main()
        assert started[-1] == arguments
