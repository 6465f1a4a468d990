"""Reviewers at work while servers are killed and restarted: the short form of the load test."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bilex.review.events import Event
from bilex.review.store import ReviewStore
from postgres import PostgresServer

SPEED = Path(__file__).parents[2] / "benchmarks" / "speed"
pytestmark = pytest.mark.skipif(not SPEED.is_dir(), reason="not in a source distribution")


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module
    monkeypatch.syspath_prepend(SPEED)
    return importlib.import_module("review_load")


def test_nothing_is_lost_or_doubled_while_servers_are_killed(
    load: Any,  # noqa: ANN401
    postgres: PostgresServer,
    tmp_path: Path,
) -> None:
    options = "--reviewers 5 --seconds 20 --interval 0.5 --kills 2 --cut-seconds 5 --words 1000"

    found = load.run(load.parse(options.split()), postgres, tmp_path / "log")

    assert {name: found[name] for name in load.NONE} == dict.fromkeys(load.NONE, 0), found
    assert found["decisions"] == found["acknowledged"] == found["stored"] >= 50
    assert (found["kills"], found["postgresql_restarts"], found["tracebacks"]) == (2, 2, 0)
    assert found["server_starts"] >= 3
    assert found["asked_from_store"] > 0
    assert found["unanswered"]["no network"] > 0


def test_the_comparison_finds_what_is_lost_doubled_or_changed(
    load: Any,  # noqa: ANN401
    store: ReviewStore,
) -> None:
    at = "2026-01-31T12:00:00.000000Z"
    events = [
        Event(id=str(number), at=at, reviewer="ann", word=f"word{number}", kind="none")
        for number in range(6)
    ]
    made = {
        each.id: load.Kept("/decide", (("word", each.word), ("kind", each.kind)), at)
        for each in events
    }
    ann = SimpleNamespace(name="ann", made=made, acknowledged=set("01234"))
    changed = replace(events[2], kind="skip")
    store.add([events[0], changed, events[3], events[4], replace(events[0], id="other")])

    found = load.compare(store, [ann])

    assert (found["decisions"], found["acknowledged"], found["stored"]) == (6, 5, 5)
    assert (found["lost"], found["doubled"], found["differing"], found["not_sent"]) == (1, 1, 1, 1)
    assert found["entries_wrong"] == 0


def test_errors_count_unless_postgresql_was_being_restarted(load: Any) -> None:  # noqa: ANN401
    tally = load.Tally()
    tally.problems += [load.Problem(503, 9, 12, ""), load.Problem(503, 21, 22, "")]
    tally.problems += [load.Problem(500, 1, 9, ""), load.Problem(404, 1, 2, "")]
    tally.turns += [load.Turn(5, 0.1), load.Turn(40, 0.3), load.Turn(41, 0.2)]

    found = load.measured(tally, SimpleNamespace(down=[(10, 20)], moments=[20]))

    assert (found["errors_while_up"], found["refused"]) == (2, 1)
    assert found["errors_while_postgresql_restarted"] == {503: 1}
    assert (found["answered_at_once"], found["calm_turns"]) == (3, 3)
    assert found["calm_turn_ms"]["max"] == 300
    assert load.measured(tally, SimpleNamespace(down=[], moments=[30]))["calm_turns"] == 1
