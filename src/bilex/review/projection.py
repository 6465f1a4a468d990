"""The current state of a word, computed from its events.

The state depends on the set of events only: not on the order in which they arrived, and not on how
often. Replaying a log therefore rebuilds every entry, and merging two logs is a union.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from bilex.review.events import Event, distinct

State = Literal["open", "skipped", "accepted", "rejected", "not-entry", "disputed"]
"""open: no decision; skipped: only skipped so far; accepted, rejected (no shown candidate is right)
and not-entry: the decision; disputed: reviewers disagree and no editor has decided."""

STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedEntry:
    """What reviewers have decided about a word.

    Attributes:
        word: The source word.
        state: What the decisions amount to.
        targets: Accepted translations, the best one first.
        rejected: Candidates that were shown and not accepted by any decision that counts.
        decisions: The last decision of each reviewer, in the order of time.
        earlier: Decisions that no longer count because the word was asked again with candidates of
            another model, in the order of time. What they rejected stays rejected.
        passed: Models whose candidates somebody skipped when the word was asked again.
        part_of_speech: The last one that was given.
        sense: The last one that was given.
        notes: All notes, oldest first, as (reviewer, text).
        changed: When the entry changed last; empty if it has no events.
    """

    word: str
    state: State = "open"
    targets: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    decisions: tuple[Event, ...] = ()
    earlier: tuple[Event, ...] = ()
    passed: tuple[str, ...] = ()
    part_of_speech: str = ""
    sense: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    changed: str = ""

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Return who has decided, in the order of time."""
        return tuple(event.reviewer for event in self.decisions)

    @property
    def deciding(self) -> tuple[Event, ...]:
        """Return the decisions that count: that of the last editor who resolved it, or all."""
        return deciding(self.decisions)


def project(word: str, events: Iterable[Event]) -> ReviewedEntry:
    """Return the state of a word after all its events."""
    ordered = distinct(events)
    counting = without_undone(ordered)
    earlier, decisions = _last_decisions(counting)
    counted = deciding(decisions)
    state, targets = _outcome(counted, skipped=any(event.kind == "skip" for event in counting))
    rejected = dict.fromkeys(word for event in (*earlier, *counted) for word in event.rejected)
    given = [event for event in counting if event.kind not in ("skip", "undo")]
    return ReviewedEntry(
        word=word,
        state=state,
        targets=targets,
        rejected=tuple(word for word in rejected if word not in _all_targets(counted)),
        decisions=decisions,
        earlier=earlier,
        passed=_passed(counting),
        part_of_speech=_last(event.part_of_speech for event in given),
        sense=_last(event.sense for event in given),
        notes=tuple((event.reviewer, event.note) for event in counting if event.note),
        changed=ordered[-1].at if ordered else "",
    )


def without_undone(events: Iterable[Event]) -> list[Event]:
    """Return the events that count: those that are not undone by an event that itself counts.

    Args:
        events: All events of one word, in any order.
    """
    ordered = sorted(events, key=lambda each: each.order)
    by_id = {event.id: event for event in ordered}
    undoing = Counter(event.undoes for event in ordered if event.kind == "undo")
    known = [event for event in ordered if not undoing[event.id]]  # whether they count is known
    undone: set[str] = set()
    while known:  # not in the order of time: clocks of two machines differ
        event = known.pop()
        if event.kind != "undo":
            continue
        if event.id not in undone:
            undone.add(event.undoes)
        undoing[event.undoes] -= 1
        if not undoing[event.undoes] and event.undoes in by_id:
            known.append(by_id[event.undoes])
    return [event for event in ordered if event.id not in undone]


def agree(first: Event, second: Event) -> bool:
    """Return whether two decisions agree: the same kind and, if accepted, a common translation."""
    if first.kind != second.kind:
        return False
    return first.kind != "accept" or bool(set(first.targets) & set(second.targets))


def deciding(decisions: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the decisions that count: that of the last editor who resolved the entry, or all.

    Args:
        decisions: The last decision of each reviewer, in the order of time.
    """
    return next(((event,) for event in reversed(decisions) if event.resolves), decisions)


def _last_decisions(counting: list[Event]) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Return the decisions that were replaced when the word was asked again, and the last ones."""
    earlier: list[Event] = []
    last: dict[str, Event] = {}
    for event in filter(lambda each: each.is_decision, counting):
        if _replaces(event, tuple(last.values())):
            earlier += last.values()
            last.clear()
        last.pop(event.reviewer, None)  # so that the order is that of the last decisions
        last[event.reviewer] = event
    return tuple(earlier), tuple(last.values())


def _replaces(event: Event, former: tuple[Event, ...]) -> bool:
    """Return whether a decision takes the place of all former ones.

    It does if the word was asked again, since those who rejected other candidates have no opinion
    on the new ones. Who rejected what is accepted now disagrees, and still counts.
    """
    counted = deciding(former)
    return (
        event.reason == "again"
        and bool(counted)
        and all(each.kind == "none" and each.model != event.model for each in counted)
        and not any(set(each.rejected) & set(event.targets) for each in counted)
    )


def _passed(counting: list[Event]) -> tuple[str, ...]:
    skipped = (event for event in counting if event.kind == "skip" and event.reason == "again")
    return tuple(dict.fromkeys(event.model for event in skipped))


def _outcome(counted: tuple[Event, ...], *, skipped: bool) -> tuple[State, tuple[str, ...]]:
    if not counted:
        return ("skipped" if skipped else "open"), ()
    first = counted[0]
    if not all(agree(first, other) for other in counted[1:]):
        return "disputed", ()
    if first.kind == "none":
        return "rejected", ()
    if first.kind == "not-entry":
        return "not-entry", ()
    return "accepted", tuple(_all_targets(counted))


def _all_targets(decisions: tuple[Event, ...]) -> dict[str, None]:
    """Return accepted translations of all decisions; those of the earliest decision come first."""
    return dict.fromkeys(target for event in decisions for target in event.targets)


def _last(values: Iterable[str]) -> str:
    return next((value for value in reversed(list(values)) if value), "")
