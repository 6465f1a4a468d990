"""Decisions as files, files as decisions, and two copies of a review as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bilex.lexicons import read_dictionary
from bilex.review.events import Event, Shown
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from conftest_types import Bilex

WORDS = (
    ReviewWord(word="dog", rank=0, candidates=(Candidate("chien", 0.9), Candidate("chat", 0.2))),
    ReviewWord(word="house", rank=1, candidates=(Candidate("maison", 0.8),)),
    ReviewWord(word="cat", rank=2, candidates=(Candidate("chat", 0.95),)),
)


def decision(number: int, word: str, *targets: str) -> Event:
    return Event(
        id=f"event-{number}",
        at=f"2026-01-31T12:00:00.{number:06}Z",
        reviewer="me",
        word=word,
        kind="accept" if targets else "none",
        targets=targets,
        shown=tuple(
            Shown(each.target, each.probability)
            for listed in WORDS
            if listed.word == word
            for each in listed.candidates
        ),
    )


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the database of three words, one of them decided."""
    monkeypatch.chdir(tmp_path)
    project = Project(title="", source_language="en", target_language="fr", model="", seed=1)
    with ReviewStore.create("d.sqlite", project, WORDS) as store:
        store.add([decision(1, "dog", "chien")])
    return tmp_path / "d.sqlite"


def test_an_export_has_what_was_decided(bilex: Bilex, database: Path) -> None:
    done = bilex("review", "export", "d.sqlite", "-o", "all.tsv")
    assert done.code == 0
    assert "all.tsv: 4 entries" in done.err
    found = [(each.source, each.target, each.origin) for each in read_dictionary("all.tsv")]
    assert found == [
        ("dog", "chien", "reviewed"),
        ("dog", "chat", "rejected"),
        ("house", "maison", "induced"),
        ("cat", "chat", "induced"),
    ]
    assert bilex("review", "export", "d.sqlite", "-o", "some.tbx", "--reviewed-only").code == 0
    assert {each.source for each in read_dictionary("some.tbx")} == {"dog"}


def test_an_edited_file_is_imported_once(bilex: Bilex, database: Path) -> None:
    assert bilex("review", "export", "d.sqlite", "-o", "sent.tsv").code == 0
    lines = Path("sent.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    edited = "".join(
        line.replace("induced", "reviewed") if line.startswith("house") else line
        for line in lines
        if not line.startswith("cat")
    )
    Path("edited.tsv").write_text(edited, encoding="utf-8")
    command = ("review", "import", "d.sqlite", "edited.tsv", "--exported", "sent.tsv")

    tried = bilex(*command, "--reviewer", "Ann", "--dry-run")
    assert "nothing is stored" in tried.err
    with ReviewStore.open("d.sqlite") as store:
        assert store.counts().states["accepted"] == 1

    done = bilex(*command, "--reviewer", "Ann")
    assert "1 decisions are new" in done.err
    assert "1 exported rows are not in edited.tsv" in done.err
    assert "0 decisions are new" in bilex(*command, "--reviewer", "Ann").err
    with ReviewStore.open("d.sqlite") as store:
        item = store.item("house")
        assert item is not None
        assert (item.entry.state, item.entry.targets) == ("accepted", ("maison",))
        assert item.entry.reviewers == ("Ann",)


def test_two_copies_are_merged(bilex: Bilex, database: Path) -> None:
    shutil.copy(database, "other.sqlite")
    with ReviewStore.open("d.sqlite") as store:
        store.add([decision(2, "cat", "chat")])
    with ReviewStore.open("other.sqlite") as store:
        store.add([decision(3, "house")])

    assert "other.sqlite: 1 new events" in bilex("review", "merge", "d.sqlite", "other.sqlite").err
    assert "other.sqlite: 0 new events" in bilex("review", "merge", "d.sqlite", "other.sqlite").err
    with ReviewStore.open("d.sqlite") as store:
        assert store.counts().states["accepted"] == 2
        assert store.counts().states["rejected"] == 1
    same = bilex("review", "merge", "d.sqlite", "d.sqlite")
    assert same.code
    assert "cannot be merged with itself" in same.err
