"""Logs: merged by union, written and read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import ReviewFileError
from bilex.review.events import Event
from bilex.review.log import merge, read_log, write_log
from review_data import copies, event, events, logs

QUICK = settings(max_examples=40, deadline=None)
LOGS = st.lists(events(), max_size=8)  # here even different events may have the same id


@QUICK
@given(LOGS, LOGS)
def test_merging_is_commutative(first: list[Event], second: list[Event]) -> None:
    assert merge(first, second) == merge(second, first)


@QUICK
@given(LOGS, LOGS, LOGS)
def test_merging_is_associative(
    first: list[Event], second: list[Event], third: list[Event]
) -> None:
    assert merge(merge(first, second), third) == merge(first, merge(second, third))


@QUICK
@given(LOGS, LOGS)
def test_merging_is_idempotent(first: list[Event], second: list[Event]) -> None:
    merged = merge(first, second)

    assert merge(merged, merged) == merged
    assert merge(merged, first) == merged


@QUICK
@given(copies(2))
def test_merging_is_the_union(parts: tuple[list[Event], list[Event]]) -> None:
    merged = merge(*parts)

    assert set(merged) == {*parts[0], *parts[1]}
    assert [each.order for each in merged] == sorted({each.order for each in merged})


@QUICK
@given(logs(), st.randoms(use_true_random=False))
def test_the_same_events_give_the_same_file(
    tmp_path_factory: pytest.TempPathFactory, log: list[Event], rng: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    write_log(log, folder / "a.jsonl")
    number = write_log(rng.sample(log, len(log)) + log, folder / "b.jsonl")

    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()
    assert number == len(log)
    assert list(read_log(folder / "a.jsonl")) == merge(log, [])


def test_words_with_line_separators_stay_in_their_line(tmp_path: Path) -> None:
    made = event(1, "a\u2028b\x85c\x0bd", note="two\nlines\r\n")
    write_log([made], tmp_path / "log.jsonl")

    assert list(read_log(tmp_path / "log.jsonl")) == [made]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id":"1"}\n', r"log.jsonl, line 3: missing fields .*; correct or remove the line"),
        (b'"\xff"\n', "line 3: not UTF-8"),
        (b'{"id":"1', "line 3: not JSON"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(event(1, "the").to_json().encode() + b"\n\n" + content)

    with pytest.raises(ReviewFileError, match=message):
        list(read_log(path))
