"""Run the blocks of a page one after another, in one folder, as a reader would."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pages.blocks import Block, Command, Page, console_commands
from pages.comparison import differences
from pages.plugins import declarations, install

SECONDS = 900.0
"""How long one command or block of Python may take, on a slow machine with other load."""

_SESSION = Path(__file__).with_name("python_session.py")
_LAST_FOLDER = "PAGE_LAST_FOLDER"
_LAST_LINES = 40  # of what a failed block printed
_MISTAKE = "bilex: "  # begins the message of a command that fails


@dataclass(frozen=True)
class PageFolder:
    """Where a page runs.

    Attributes:
        folder: Holds the files that the page uses.
        environment: Variables of all its commands.
        site: Where plugins are installed that the page shows.
        packages: Complete examples of plugins.
    """

    folder: Path
    environment: dict[str, str]
    site: Path
    packages: Path


@dataclass
class Outcome:
    """What became of the blocks of a page."""

    page: str
    executed: int = 0
    not_run: list[tuple[int, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finished:
    """A command or block of Python that has ended.

    Attributes:
        problem: Why it failed; empty if it did not.
        printed: What a reader sees of it.
    """

    problem: str
    printed: str


def run_page(page: Page, where: PageFolder, *, seconds: float = SECONDS) -> Outcome:
    """Run all blocks; go on after a failure, so that a page is corrected in one go."""
    outcome = Outcome(page.name, failures=list(page.problems))
    plugins = declarations(page.blocks)
    with Session(page.name, where, seconds) as session:
        for number, block in enumerate(page.blocks):
            if block.not_run:
                outcome.not_run.append((block.line, block.not_run))
            if block.is_executed:
                outcome.executed += 1
                outcome.failures += session.run(block)
            elif block.is_output:
                outcome.failures += session.compare(block)
            elif number in plugins:
                install(where.site, block.text, plugins[number], where.packages)
    return outcome


class Session:
    """Runs blocks so that each finds what those before it left: files, folder, Python names."""

    def __init__(self, page: str, where: PageFolder, seconds: float) -> None:
        self._page, self._where, self._seconds = page, where, seconds
        self._folder = where.folder  # changed by `cd`
        self._last = Finished("", "")
        self._scratch = tempfile.TemporaryDirectory()
        self._python: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._python is not None:
            _end(self._python)
        self._scratch.cleanup()

    def run(self, block: Block) -> list[str]:
        """Run a block; return what went wrong."""
        if block.language == "console":
            try:
                commands = console_commands(block)
            except ValueError as problem:
                return [f"{self._page}:{block.line}: {problem}"]
            return [failure for command in commands for failure in self._run_command(command)]
        if block.language == "python":
            self._last = self._run_python(block)
        else:
            self._last = self._run_bash(block.text)
        if self._last.problem:
            return [self._failure(block.line, block.text, self._last.problem, self._last.printed)]
        return []

    def compare(self, block: Block) -> list[str]:
        """Compare what the last block printed with what the page shows."""
        diff = differences(block.text, self._last.printed)
        return [self._failure(block.line, "output", "\n".join(diff))] if diff else []

    def _run_command(self, command: Command) -> list[str]:
        done = self._run_bash(command.text)
        shows_mistake = any(line.startswith(_MISTAKE) for line in command.output.splitlines())
        problems = [] if shows_mistake else [done.problem]
        if shows_mistake and not done.problem:
            problems.append("the page shows an error, but the command succeeded")
        problems += differences(command.output, done.printed)
        text = "\n".join(problem for problem in problems if problem)
        return [self._failure(command.line, command.text, text)] if text else []

    def _run_bash(self, text: str) -> Finished:
        last_folder, printed = self._file("folder"), self._file("printed")
        script = f"trap 'pwd > \"${_LAST_FOLDER}\"' EXIT\n{text}\n"
        with printed.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603
                ["bash", "-eu", "-o", "pipefail", "-c", script],  # noqa: S607
                cwd=self._folder,
                env={**self._where.environment, _LAST_FOLDER: str(last_folder)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            problem = self._wait(process)
        if last_folder.is_file():
            self._folder = Path(last_folder.read_text(encoding="utf-8").rstrip("\n"))
        return Finished(problem, _text(printed))

    def _wait(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code = process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            return f"not finished after {self._seconds:g} s"
        finally:
            _end(process)
        return f"exit status {code}" if code else ""

    def _run_python(self, block: Block) -> Finished:
        output, errors = self._file("output"), self._file("errors")
        request = {
            "code": block.text,
            "file": self._page,
            "line": block.line,
            "folder": str(self._folder),
            "output": str(output),
            "errors": str(errors),
        }
        if self._python is None or self._python.poll() is not None:
            self._python = self._start_python()
        requests, answers = _pipes(self._python)
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        if not select.select([answers], [], [], self._seconds)[0]:
            _end(self._python)
            return Finished(f"not finished after {self._seconds:g} s", _text(output))
        answer = answers.readline()
        problem = json.loads(answer) if answer else "Python ended"
        return Finished(f"{problem}{_text(errors)}" if problem else "", _text(output))

    def _start_python(self) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603
            [sys.executable, str(_SESSION)],
            cwd=self._folder,
            env=self._where.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    def _file(self, name: str) -> Path:
        path = Path(self._scratch.name) / name
        path.unlink(missing_ok=True)
        return path

    def _failure(self, line: int, text: str, problem: str, printed: str = "") -> str:
        last = "\n".join(printed.splitlines()[-_LAST_LINES:])
        parts = [f"{self._page}:{line}:", *map(_indented, (text, problem, last))]
        return "\n".join(part for part in parts if part)


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End a process and all that it started, also in the background."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
