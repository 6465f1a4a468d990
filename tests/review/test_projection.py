"""What the events of a word make of it, whatever their order."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.review.events import Event, Shown, distinct
from bilex.review.projection import project, without_undone
from review_data import event, events, logs, undo

QUICK = settings(max_examples=40, deadline=None)
ONE_WORD = ("the",)


@QUICK
@given(logs(words=ONE_WORD), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(log: list[Event], rng: random.Random) -> None:
    shuffled = log + rng.choices(log, k=5) if log else []
    rng.shuffle(shuffled)

    assert project("the", shuffled) == project("the", log)


@QUICK
@given(st.lists(events(words=ONE_WORD)), st.randoms(use_true_random=False))
def test_even_different_events_with_one_id_give_one_result(
    log: list[Event], rng: random.Random
) -> None:
    shuffled = rng.sample(log, len(log))

    assert project("the", shuffled) == project("the", log)
    assert distinct(shuffled) == distinct(log)
    assert len(distinct(log)) == len({each.id for each in log})


@QUICK
@given(logs(words=ONE_WORD))
def test_an_event_counts_unless_an_undo_of_it_counts(log: list[Event]) -> None:
    counting = {each.id for each in without_undone(log)}
    by_id = {each.id: each for each in log}

    for each in log:
        if not _in_circle(each, by_id):
            undos = [other for other in log if other.undoes == each.id and other.id in counting]
            assert (each.id in counting) == (not undos)


def _in_circle(first: Event, by_id: dict[str, Event]) -> bool:
    """Return whether an undo takes back, over some steps, itself: no real client can do that."""
    seen = set()
    current: Event | None = first
    while current is not None and current.id not in seen:
        seen.add(current.id)
        current = by_id.get(current.undoes)
    return current is not None and current.id == first.id


def test_an_undo_takes_a_decision_back_and_another_undo_brings_it_again() -> None:
    accepted = event(1, "the", targets=("le",))
    first = undo(2, accepted)
    second = undo(3, first)

    assert project("the", [accepted]).targets == ("le",)
    assert project("the", [accepted, first]).state == "open"
    assert project("the", [accepted, first, second]).targets == ("le",)
    assert project("the", [accepted, first, second, undo(4, second)]).state == "open"


def test_an_undo_from_a_clock_that_is_behind_counts_all_the_same() -> None:
    accepted = event(30, "the")
    first = undo(20, accepted)

    assert project("the", [accepted, first]).state == "open"
    assert project("the", [accepted, first, undo(10, first)]).state == "accepted"


def test_an_undo_brings_back_the_decision_before() -> None:
    old = event(1, "the", targets=("la",))
    new = event(2, "the", "none")

    assert project("the", [old, new]).state == "rejected"
    assert project("the", [old, new, undo(3, new)]).targets == ("la",)


def test_undoing_another_words_event_does_nothing() -> None:
    accepted = event(1, "the")

    assert project("the", [accepted, undo(2, event(9, "the"))]).state == "accepted"


def test_the_states() -> None:
    by_bob = {"reviewer": "bob"}
    le, la = event(1, "the", targets=("le",)), event(2, "the", targets=("la",), **by_bob)
    both = event(3, "the", targets=("la", "le"), **by_bob)

    assert project("the", []).state == "open"
    assert project("the", [event(1, "the", "note", note="?")]).state == "open"
    assert project("the", [event(1, "the", "skip")]).state == "skipped"
    assert project("the", [event(1, "the", "none")]).state == "rejected"
    assert project("the", [event(1, "the", "not-entry")]).state == "not-entry"
    assert project("the", [le, la]).state == "disputed"
    assert project("the", [le, la]).targets == ()
    assert project("the", [le, event(2, "the", "none", **by_bob)]).state == "disputed"
    assert project("the", [le, both]).targets == ("le", "la")
    resolved = event(4, "the", targets=("la",), reviewer="editor", resolves=True)
    assert project("the", [le, la, resolved]).targets == ("la",)


def test_an_entry_has_what_was_rejected_and_said() -> None:
    shown = (Shown("le"), Shown("la"), Shown("les"))
    log = [
        event(1, "the", targets=("le",), shown=shown, part_of_speech="det", note="often"),
        event(2, "the", targets=("le", "la"), shown=shown, reviewer="bob", sense="article"),
        event(3, "the", "note", note="really", reviewer="cyd"),
    ]

    entry = project("the", log)

    assert entry.rejected == ("les",)
    assert (entry.part_of_speech, entry.sense) == ("det", "article")
    assert entry.notes == (("ann", "often"), ("cyd", "really"))
    assert entry.reviewers == ("ann", "bob")
    assert entry.changed == log[2].at
