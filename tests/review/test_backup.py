"""Backups: one file that any database can be made from."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bilex.errors import ReviewFileError, StoreError
from bilex.review.backup import Saved
from bilex.review.store import ReviewStore
from review_data import PROJECT, WORDS, event, review_words, undo

EVENTS = [
    event(3, "the", note="two\nlines\u2028"),
    event(1, "the", "none", reviewer="bob"),
    event(2, "own", targets=("eigen",)),
    undo(4, event(1, "the", "none", reviewer="bob")),
]


@pytest.mark.parametrize("name", ["backup.jsonl", "backup.jsonl.gz"])
def test_a_backup_restores_everything_on_the_other_database(
    store: ReviewStore, tmp_path: Path, postgres_url: str, name: str
) -> None:
    store.add(EVENTS)
    other = str(tmp_path / "other.db") if not store.database.is_sqlite else postgres_url

    assert store.backup(tmp_path / name) == Saved(words=len(WORDS), events=4)

    with ReviewStore.restore(other, tmp_path / name) as copy:
        assert copy.project == store.project
        assert copy.items(limit=100) == store.items(limit=100)
        assert [each for _, each in copy.events()] == EVENTS
        assert copy.counts() == store.counts()
        assert copy.rebuild() == 0
        assert copy.add([EVENTS[0], event(9, "the")]) == [False, True]
        copy.backup(tmp_path / "again.jsonl")
    with pytest.raises(StoreError, match="already has a review project"):
        ReviewStore.restore(other, tmp_path / name)


def test_the_same_project_gives_the_same_bytes(store: ReviewStore, tmp_path: Path) -> None:
    store.add(EVENTS)
    for name in ("a.jsonl", "b.jsonl", "c.jsonl.gz"):
        store.backup(tmp_path / name)

    content = (tmp_path / "a.jsonl").read_bytes()
    assert content == (tmp_path / "b.jsonl").read_bytes()
    assert content == gzip.decompress((tmp_path / "c.jsonl.gz").read_bytes())
    assert len(content.splitlines()) == 1 + len(WORDS) + 4 + 1


@pytest.fixture
def saved(tmp_path: Path) -> list[bytes]:
    with ReviewStore.create(str(tmp_path / "first.db"), PROJECT, review_words()) as store:
        store.add(EVENTS)
        store.backup(tmp_path / "backup.jsonl")
    return (tmp_path / "backup.jsonl").read_bytes().splitlines(keepends=True)


def test_a_backup_that_was_cut_off_anywhere_is_refused(saved: list[bytes], tmp_path: Path) -> None:
    whole = b"".join(saved)
    path, url = tmp_path / "cut.jsonl", str(tmp_path / "second.db")
    ends = [0, 1, *(len(b"".join(saved[:number])) for number in range(1, len(saved)))]
    for end in [*ends, len(whole) - len(saved[-1]) // 2]:
        path.write_bytes(whole[:end])
        with pytest.raises(ReviewFileError, match=r"expected a complete backup|remove the line"):
            ReviewStore.restore(url, path)
    path.write_bytes(whole)
    ReviewStore.restore(url, path).close()


@pytest.mark.parametrize(
    ("line", "content", "message"),
    [
        (0, b'{"bilex-review":2}\n', "line 1: does not start with bilex-review version 1"),
        (0, b'{"bilex-review":1,"project":{"x":1}}\n', "line 1: no project"),
        (0, b"[]\n", "line 1: not a JSON object"),
        (1, b'{"word":"the"}\n', "line 2: not a word"),
        (1, b'{"word":"a\\u0000","rank":0,"candidates":[]}\n', "line 2: not a word.*NUL"),
        (10, b'{"id":"1"}\n', "line 11: missing fields"),
        (9, b"", "ends after 8 words and 3 events"),
        (2, b"", "ends after 7 words and 4 events"),
    ],
)
def test_a_damaged_backup_is_refused_with_the_line(
    saved: list[bytes], tmp_path: Path, line: int, content: bytes, message: str
) -> None:
    saved[line] = content
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"".join(saved))

    with pytest.raises(ReviewFileError, match=message):
        ReviewStore.restore(str(tmp_path / "second.db"), path)


def test_a_damaged_compressed_backup_is_refused(saved: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "backup.jsonl.gz"
    packed = gzip.compress(b"".join(saved))
    for content in (b"".join(saved), packed[:-30], packed[:200] + b"xxxx" + packed[204:]):
        path.write_bytes(content)
        with pytest.raises(ReviewFileError, match=r"expected a complete backup|remove the line"):
            ReviewStore.restore(str(tmp_path / "second.db"), path)
