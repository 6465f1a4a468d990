"""A store on each database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bilex.review.store import ReviewStore
from review_data import PROJECT, review_words


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a store may be created: an empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "review.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(database_url: str) -> Iterator[ReviewStore]:
    """Return a store with the words of `review_data.WORDS`; the queue is by frequency."""
    with ReviewStore.create(database_url, PROJECT, review_words()) as made:
        made.set_priorities("frequency", [(word.word, -word.rank) for word in review_words()])
        yield made
