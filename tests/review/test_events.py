"""Events: what can be stored, and how it is written."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given

from bilex.errors import EventError
from bilex.review.events import LONGEST_NAME, LONGEST_TEXT, LONGEST_WORD, Event, Shown, time_text
from review_data import event, events, wild_events


@given(events() | wild_events())
def test_what_is_written_is_read_back(made: Event) -> None:
    line = made.to_json()

    assert Event.from_json(line) == made
    assert Event.from_stored(json.loads(line)) == made
    assert hash(Event.from_stored(json.loads(line))) == hash(made)
    assert "\n" not in line


def test_fields_with_defaults_are_not_written() -> None:
    line = event(1, "the", "none").to_json()

    assert line == (
        '{"id":"1","at":"2026-01-01T00:00:01.000000Z","reviewer":"ann","word":"the","kind":"none"}'
    )


def test_shown_candidates_that_were_not_accepted_are_rejected() -> None:
    shown = (Shown("un", 0.5), Shown("deux"), Shown("trois"))

    assert event(1, "the", targets=("deux", "own"), shown=shown).rejected == ("un", "trois")
    assert event(1, "the", "none", shown=shown).rejected == ("un", "deux", "trois")
    for kind in ("not-entry", "skip"):
        assert event(1, "the", kind, shown=shown).rejected == ()


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("approve", {}, "kind 'approve', expected one of accept,"),
        ("none", {"reason": "boredom"}, "reason 'boredom'"),
        ("none", {"reviewer": " "}, "no reviewer"),
        ("none", {"at": "2026-01-31T12:00:00Z"}, "time .* expected a form like"),
        ("none", {"at": "2026-01-31T12:00:00.5Z"}, "time"),
        ("none", {"at": "2026-1-31T12:00:00.000000Z"}, "time"),
        ("none", {"at": "2026-13-31T12:00:00.000000Z"}, "time"),
        ("none", {"at": "٢026-01-31T12:00:00.000000Z"}, "time"),
        ("accept", {"targets": ()}, "if and only if the kind is accept"),
        ("none", {"targets": ("un",)}, "if and only if the kind is accept"),
        ("accept", {"targets": ("un", "un")}, "empty or repeated"),
        ("accept", {"targets": ("un", " ")}, "empty or repeated"),
        ("undo", {}, "if and only if the kind is undo"),
        ("skip", {"undoes": "1"}, "if and only if the kind is undo"),
        ("note", {}, "a note without text"),
        ("none", {"note": "x" * (LONGEST_TEXT + 1)}, "2001 characters, expected at most 2000"),
        ("none", {"shown": (Shown("x" * (LONGEST_TEXT + 1)),)}, "2001 characters"),
        ("none", {"batch": "x" * (LONGEST_NAME + 1)}, "batch has 201 characters"),
        ("none", {"reviewer": "a\x1fb"}, "a control character in reviewer"),
        ("none", {"note": "a\x00b"}, "NUL"),
        ("accept", {"targets": ("a\ud800",)}, "surrogate"),
        ("none", {"shown": (Shown("un", float("nan")),)}, "probability nan of 'un'"),
    ],
)
def test_an_event_that_cannot_be_stored_says_why(
    kind: str, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(EventError, match=message):
        event(1, "the", kind, **values)


@pytest.mark.parametrize("word", ["", " ", "a\x00", "\udfff", "x" * (LONGEST_WORD + 1)])
def test_a_word_that_cannot_be_stored_is_refused(word: str) -> None:
    with pytest.raises(EventError):
        event(1, word, "none")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "expected a JSON object"),
        ('{"id":"1","shade":"red"}', "unknown fields shade"),
        ('{"id":"1","at":"x","word":"the"}', "missing fields kind, reviewer"),
        ('{"id":1,"at":"x","reviewer":"a","word":"b","kind":"none"}', "id is 1, expected text"),
        (
            '{"id":"1","at":"x","reviewer":"a","word":"b","kind":"none","resolves":1}',
            "resolves is 1",
        ),
        (
            '{"id":"1","at":"x","reviewer":"a","word":"b","kind":"none","targets":"c"}',
            "targets is 'c', expected a list",
        ),
        (
            '{"id":"1","at":"x","reviewer":"a","word":"b","kind":"none","targets":[1]}',
            "expected a list of texts",
        ),
        (
            '{"id":"1","at":"x","reviewer":"a","word":"b","kind":"none","shown":["c"]}',
            r"expected \[candidate, probability\]",
        ),
    ],
)
def test_a_line_that_is_not_an_event_says_why(line: str, message: str) -> None:
    with pytest.raises(EventError, match=message):
        Event.from_json(line)


def test_times_are_utc_and_sort_as_text() -> None:
    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    elsewhere = moment.astimezone(timezone(timedelta(hours=9)))

    assert time_text(elsewhere) == time_text(moment) == "2026-01-31T12:00:00.000000Z"
    assert time_text(moment) < time_text(moment + timedelta(microseconds=1))
    assert event(1, "the", at=time_text(moment)).order == ("2026-01-31T12:00:00.000000Z", "1")


def test_events_need_no_database_package() -> None:
    code = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "import bilex.review.events, bilex.review.projection, bilex.review.log\n"
        "import bilex.review.project\n"
        "try:\n import bilex.review.store\n"
        "except ImportError as problem: print(type(problem).__name__, problem)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == (
        "MissingExtraError a review database needs the sqlalchemy package: "
        "pip install 'bilex[review]'\n"
    )
