"""A small project, its pages, and a browser that shows them."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from fastapi.testclient import TestClient

from bilex.review.events import Event
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from bilex.service.serving import listen_here
from bilex.service.workbench.access import LoopbackAccess
from bilex.service.workbench.app import create_review_app
from bilex.service.workbench.opening import prioritize
from bilex.service.workbench.rendering import ReviewSettings
from workbench import TOKEN, Served, Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAME = "words.sqlite"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def make_words(number: int) -> list[ReviewWord]:
    """Return words with three candidates; those of even rank are nearly certain."""
    return [
        ReviewWord(
            word=f"word{rank}",
            rank=rank,
            candidates=(
                Candidate(f"palabra{rank}", 0.97 if rank % 2 == 0 else 0.6),
                Candidate(f"otra{rank}", 0.02, "seed"),
                Candidate(f"<b>tercera{rank}</b>", 0.01),
            ),
        )
        for rank in range(number)
    ]


def make_store(folder: Path, words: list[ReviewWord], target: str = "es") -> ReviewStore:
    project = Project(source_language="en", target_language=target, model="m1", seed=7)
    store = ReviewStore.create(str(folder / NAME), project, words)
    prioritize(store, "value")
    return store


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project without decisions, to be copied: making one takes longer."""
    folder = tmp_path_factory.mktemp("project")
    make_store(folder, make_words(60)).close()
    return folder / NAME


@pytest.fixture
def store(tmp_path: Path, new_project: Path) -> Iterator[ReviewStore]:
    shutil.copy(new_project, tmp_path)
    with ReviewStore.open(str(tmp_path / NAME)) as made:
        yield made


@pytest.fixture
def site(store: ReviewStore) -> Iterator[Site]:
    """Return the pages of the project, for a reviewer who has opened the address."""
    access = LoopbackAccess(TOKEN)
    app = create_review_app(store, ReviewSettings(access=access))
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        assert client.get("/open", params={"token": TOKEN}).status_code == 303
        yield Site(client, store, access.form_token(None))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    problem = "" if CHROMIUM else "chromium is not installed: apt-get install chromium"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        problem = "playwright is not installed"
    if problem:
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            pytest.fail(problem)
        pytest.skip(problem)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield launched
        launched.close()


def serve(store: ReviewStore) -> Iterator[Served]:
    access = LoopbackAccess(TOKEN)
    app = create_review_app(store, ReviewSettings(access=access))
    config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with listen_here(0, 0) as socket:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Served(f"http://127.0.0.1:{socket.getsockname()[1]}", store)
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a running server with many words."""
    with make_store(tmp_path_factory.mktemp("served"), make_words(400)) as made:
        yield from serve(made)


@pytest.fixture(scope="module")
def hebrew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a running server with a language that is written from right to left."""
    pairs = {"house": "בית", "water": "מים", "book": "ספר", "peace": "שלום", "sun": "שמש"}
    listed = [
        (f"{word}{n or ''}", f"{target} {n or ''}".strip())
        for n in range(6)
        for word, target in pairs.items()
    ]
    words = [
        ReviewWord(
            word=word, rank=rank, candidates=(Candidate(target, 0.97), Candidate("לא", 0.01))
        )
        for rank, (word, target) in enumerate(listed)
    ]
    folder = tmp_path_factory.mktemp("hebrew")
    with make_store(folder, words, "he") as made:
        yield from serve(made)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a running server of a project where no word is waiting."""
    with make_store(tmp_path_factory.mktemp("finished"), make_words(1)) as made:
        at = "2026-01-31T12:00:00.000000Z"
        made.add([Event(id="1", at=at, reviewer="me", word="word0", kind="none")])
        yield from serve(made)
