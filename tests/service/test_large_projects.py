"""Pages about a whole project read as much of a large one as of a small one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from bilex.review import rows
from bilex.review.events import Event, Shown
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from bilex.service.workbench import figures
from bilex.service.workbench.access import LoopbackAccess
from bilex.service.workbench.app import create_review_app
from bilex.service.workbench.rendering import ReviewSettings
from workbench import TOKEN

PROJECT = Project(source_language="en", target_language="es", model="m1", seed=7)
CERTAIN = 15


def make_words(size: int) -> list[ReviewWord]:
    """Return words in the random order; the last ones are the rarest and nearly certain."""
    names = sorted((f"word{number}" for number in range(size)), key=PROJECT.order)
    return [
        ReviewWord(
            word=name,
            rank=rank,
            candidates=(Candidate(f"una {name}", 0.5 if rank < size - CERTAIN else 0.97),),
        )
        for rank, name in enumerate(names)
    ]


def decided(word: ReviewWord, reviewer: str) -> Event:
    """Return a decision; half of the first candidates are right, as their probabilities say."""
    first = word.candidates[0]
    is_right = word.rank % 2 == 0
    return Event(
        id=f"{word.word} {reviewer}",
        at="2026-01-01T00:00:00.000000Z",
        reviewer=reviewer,
        word=word.word,
        kind="accept" if is_right else "none",
        targets=(first.target,) if is_right else (),
        shown=(Shown(first.target, first.probability),),
        model=PROJECT.model,
    )


def fill(store: ReviewStore, words: list[ReviewWord]) -> int:
    """Let two reviewers decide the first half of the words; return how many."""
    chosen = words[: len(words) // 2]
    store.add([decided(word, who) for word in chosen for who in ("ann", "bob")])
    return len(chosen)


@pytest.mark.parametrize("address", ["/", "/batch"])
def test_a_page_reads_as_many_words_of_a_large_project_as_of_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    read: Counter[int] = Counter()
    sampled: list[int] = []
    monkeypatch.setattr(figures, "MOST_COMPARED", 40)
    for size in (150, 450):
        words = make_words(size)
        with ReviewStore.create(str(tmp_path / f"{size}.sqlite"), PROJECT, words) as store:
            sampled.append(fill(store, words))
            app = create_review_app(store, ReviewSettings(access=LoopbackAccess(TOKEN)))
            with TestClient(app, base_url="http://127.0.0.1") as client:
                client.get("/open", params={"token": TOKEN})

                def loads(text: str, size: int = size) -> object:
                    read[size] += 1
                    return json.loads(text)

                monkeypatch.setattr(rows, "json", SimpleNamespace(loads=loads, dumps=json.dumps))
                page = client.get(address).text
                monkeypatch.setattr(rows, "json", json)
        if address == "/":
            assert "20 of 20 randomly drawn words" in page
            assert f"{(sampled[-1] + 1) // 2} of {sampled[-1]} words drawn at random" in page
        else:
            assert 10 <= page.count('name="ticked"') <= CERTAIN
    assert sampled[0] < sampled[1]
    assert 0 < read[450] <= read[150] + 5 <= 105
