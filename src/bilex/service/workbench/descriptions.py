"""What happened, in words: events, reasons and states as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bilex.review.events import Event, Kind, Reason
from bilex.review.projection import State

STATE_NAMES: dict[State, str] = {
    "open": "Open",
    "skipped": "Skipped",
    "accepted": "Accepted",
    "rejected": "None right",
    "not-entry": "Not an entry",
    "disputed": "Disputed",
}
REASON_NAMES: dict[Reason, str] = {
    "queue": "Next in the queue",
    "again": "Asked again: a new model has other candidates",
    "audit": "Random audit",
    "batch": "Batch of probable words",
    "second": "Second opinion",
    "search": "Chosen by you",
    "import": "From a file",
}
REASON_HELP: dict[Reason, str] = {
    "queue": "The words where a decision helps most come first.",
    "again": "All suggestions of an earlier model were rejected. Only those are shown that nobody "
    "has rejected.",
    "audit": "Drawn at random. From these words the precision of the dictionary is measured, so "
    "decide them as carefully as all others.",
    "second": "Another reviewer has decided. You do not see what, so that both decide on their "
    "own.",
    "search": "You opened the word yourself.",
}
_OUTCOMES: dict[Kind, str] = {
    "accept": "",
    "none": "none of these",
    "not-entry": "not an entry",
    "skip": "skipped",
    "note": "note",
    "undo": "undone",
}


class Description(NamedTuple):
    """An action as pages show it; the words keep their own languages.

    Attributes:
        id: Of the event.
        word: The source word, or how many words if the action was a batch.
        targets: Accepted translations.
        outcome: What else was decided.
        batch: Of a whole batch; empty for one event.
    """

    id: str
    word: str
    targets: tuple[str, ...] = ()
    outcome: str = ""
    batch: str = ""

    @property
    def text(self) -> str:
        """Return the action as plain text."""
        if self.targets:
            return f"{self.word} → {', '.join(self.targets)}"
        return f"{self.word}: {self.outcome}"


def describe(event: Event) -> Description:
    """Return what one event did."""
    return Description(event.id, event.word, event.targets, _OUTCOMES[event.kind])


def describe_batch(events: Sequence[Event]) -> Description:
    """Return what the events of one batch did."""
    accepted = sum(event.kind == "accept" for event in events)
    rejected = sum(event.kind == "none" for event in events)
    left = sum(event.kind == "skip" for event in events)
    parts = ((accepted, "accepted"), (rejected, "rejected"), (left, "left for later"))
    outcome = ", ".join(f"{number} {name}" for number, name in parts if number)
    return Description(
        events[0].id, f"{len(events)} words", outcome=outcome or "undone", batch=events[0].batch
    )
