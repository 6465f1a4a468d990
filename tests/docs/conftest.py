"""The folders in which pages run, and the count of what was executed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from pages.blocks import Page, read_page
from pages.folders import PageFolders
from pages.running import Outcome, run_page

ROOT = Path(__file__).resolve().parents[2]
OUTCOMES = pytest.StashKey[dict[Path, Future[Outcome]]]()


@pytest.fixture(scope="session")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Path, Future[Outcome]]]:
    """Run the pages of all tests that were chosen, as many at a time as there are cores."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    paths = [
        cast(Path, item.callspec.params["path"])
        for item in items
        if "outcomes" in item.fixturenames
    ]
    folders = PageFolders(tmp_path_factory.mktemp("documentation") / "session", ROOT / "examples")

    def run(path: Path) -> Outcome:
        name = path.relative_to(ROOT).as_posix()
        return run_page(read_page(path, name), folders.new(name.replace("/", "-")))

    pool = ThreadPoolExecutor(os.cpu_count())
    found = {path: pool.submit(run, path) for path in paths}
    request.config.stash[OUTCOMES] = found
    yield found
    pool.shutdown(cancel_futures=True)


@pytest.fixture
def page(tmp_path: Path) -> Callable[[str], Page]:
    """Return a page with the given text."""

    def write(text: str) -> Page:
        path = tmp_path / "page.md"
        path.write_text(text, encoding="utf-8")
        return read_page(path, "page.md")

    return write


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print how many blocks were executed, and why others were not."""
    ran = config.stash.get(OUTCOMES, {}).values()
    ended = [each for each in ran if each.done() and not each.cancelled()]
    found = [each.result() for each in ended if each.exception() is None]
    if not found:
        return
    executed = sum(outcome.executed for outcome in found)
    pages = sum(outcome.executed > 0 for outcome in found)
    left_out = [(each.page, *block) for each in found for block in each.not_run]
    terminalreporter.write_line(
        f"documentation: {executed} blocks executed on {pages} pages, {len(left_out)} not run"
    )
    for name, line, reason in left_out:
        terminalreporter.write_line(f"  not run: {name}:{line}: {reason}")
