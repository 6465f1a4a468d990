"""Which decisions contradict the model."""

from __future__ import annotations

import pytest
from hypothesis import given

from bilex.review.events import Event, Kind, Shown
from bilex.review.second_opinions import UNKNOWN, doubt
from review_data import wild_events


def decision(kind: Kind, *targets: str, shown: dict[str, float | None]) -> Event:
    return Event(
        id="1",
        at="2026-01-01T00:00:00.000000Z",
        reviewer="ann",
        word="dog",
        kind=kind,
        targets=targets,
        shown=tuple(Shown(target, chance) for target, chance in shown.items()),
    )


def test_doubt_is_the_chance_that_the_decision_is_wrong() -> None:
    shown: dict[str, float | None] = {"a": 0.7, "b": 0.2}
    assert doubt(decision("accept", "a", shown=shown)) == pytest.approx(0.3)
    assert doubt(decision("accept", "b", shown=shown)) == pytest.approx(0.8)
    assert doubt(decision("accept", "b", "a", shown=shown)) == pytest.approx(0.3)
    assert doubt(decision("none", shown=shown)) == pytest.approx(0.9)
    assert doubt(decision("accept", "own", shown=shown)) == pytest.approx(0.9)
    assert doubt(decision("not-entry", shown={})) == 0
    assert doubt(decision("none", shown={"a": 0.9, "b": 0.8})) == 1
    assert doubt(decision("none", shown={"a": None})) == UNKNOWN


@given(wild_events())
def test_doubt_is_a_probability_whatever_was_shown(event: Event) -> None:
    assert 0 <= doubt(event) <= 1
