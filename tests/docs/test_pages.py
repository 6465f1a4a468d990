"""Every block of the documentation runs on the sample and prints what the page shows."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from pages.blocks import read_page
from pages.running import Outcome

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

pytestmark = pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the documentation is not part of this distribution"
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_blocks_are_written_as_they_should_be(path: Path) -> None:
    problems = read_page(path, name_of(path)).problems

    assert not problems, "\n".join(["", *problems])


@pytest.mark.docs
@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are written for bash")
@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_page_does_what_it_shows(path: Path, outcomes: dict[Path, Future[Outcome]]) -> None:
    failures = outcomes[path].result().failures

    if failures:
        pytest.fail("\n\n".join(["", *failures]), pytrace=False)
