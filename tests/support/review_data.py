"""Projects, events and stores for tests of the review."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from bilex.review.events import REASONS, Event, Shown
from bilex.review.project import Candidate, Project, ReviewWord

PROJECT = Project(
    title="Test", source_language="en", target_language="fr", model="css-4f1b", seed=7
)
WORDS = ("the", "Zebra", "über", "a b", "日本", "😀", "\u2028x", "e\u0301")
"""Most frequent first; neither their order by code point nor by any language's dictionary."""


def review_words(words: Sequence[str] = WORDS, *, prefix: str = "le ") -> list[ReviewWord]:
    """Return words with two candidates each."""
    return [
        ReviewWord(
            word=word,
            rank=rank,
            candidates=(Candidate(f"{prefix}{word}", 0.75), Candidate("autre", None, "seed")),
        )
        for rank, word in enumerate(words)
    ]


def event(id_: object, word: str, kind: str = "accept", **values: Any) -> Event:  # noqa: ANN401
    """Return an event; unless told otherwise by ann, at a time that grows with a numeric id."""
    number = id_ if isinstance(id_, int) else 0
    if kind == "accept":
        values.setdefault("targets", (f"le {word}",))
    given: dict[str, Any] = {
        "at": f"2026-01-{number // 86400 % 28 + 1:02}T{number // 3600 % 24:02}:"
        f"{number // 60 % 60:02}:{number % 60:02}.000000Z",
        "reviewer": "ann",
    }
    return Event(id=str(id_), word=word, kind=kind, **given | values)  # type: ignore[arg-type]


def undo(id_: object, of: Event, **values: Any) -> Event:  # noqa: ANN401
    """Return an event that takes another one back."""
    return event(id_, of.word, "undo", undoes=of.id, **{"reviewer": of.reviewer} | values)


_DECISIONS = ("accept", "accept", "none", "not-entry", "skip", "note", "undo", "undo")
_TARGETS = (("un",), ("deux",), ("un", "deux"), ("trois",), ("trois", "un"))
_SHOWN = ((), (Shown("un", 0.5), Shown("deux")), (Shown("deux", 1.0), Shown("😀\u2028", 1e-300)))
_NOTES = ("", "", "note", "<b>\n\u202e")
_ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=8
).filter(str.strip)


def events(*, words: Sequence[str] = WORDS[:2], ids: int = 12) -> st.SearchStrategy[Event]:
    """Draw an event: few words, reviewers, translations and ids, so that much collides."""

    digits = (ids, ids, 30, 7, len(_DECISIONS), 5, 3, len(REASONS), 7, 4, 3)

    def make(number: int) -> Event:
        """Return the event that a number stands for; one draw is faster than many."""
        numbers = []
        for digit in digits:
            number, rest = divmod(number, digit)
            numbers.append(rest)
        id_, undone, second, who, kind, targets, shown, reason, batch, note, model = numbers
        chosen = _DECISIONS[kind]
        return Event(
            id=f"e{id_}",
            word=words[id_ % len(words)],
            kind=chosen,  # type: ignore[arg-type]
            at=f"2026-01-31T12:00:{second:02}.000000Z",
            reviewer=("ann", "bob", "cyd")[who % 3],
            targets=_TARGETS[targets] if chosen == "accept" else (),
            shown=_SHOWN[shown],
            reason=REASONS[reason],
            model=("", PROJECT.model, "css-second")[model],
            batch=("", "b1", "b2")[batch % 3],
            undoes=f"e{undone}" if chosen == "undo" else "",
            resolves=who == 0,
            note=_NOTES[note] or ("note" if chosen == "note" else ""),
            sense=_NOTES[batch % 4],
        )

    return st.integers(0, math.prod(digits) - 1).map(make)


def wild_events() -> st.SearchStrategy[Event]:
    """Draw an event with any text in it."""
    texts = st.lists(_ANY_TEXT, min_size=1, max_size=3, unique=True)
    probabilities = st.none() | st.floats(allow_nan=False, allow_infinity=False)
    shown = st.lists(st.builds(Shown, _ANY_TEXT, probabilities), max_size=3)
    return st.builds(
        lambda word, targets, shown, note: event(
            1, word, targets=tuple(targets), shown=tuple(shown), note=note
        ),
        *(_ANY_TEXT, texts, shown, st.just("") | _ANY_TEXT),
    )


def logs(*, words: Sequence[str] = WORDS[:2]) -> st.SearchStrategy[list[Event]]:
    """Draw events with different ids."""
    return st.lists(events(words=words), max_size=10, unique_by=lambda each: each.id)


def copies(count: int) -> st.SearchStrategy[tuple[list[Event], ...]]:
    """Draw several copies of one log, each with some of its events, in any order, repeated."""

    def some(log: list[Event]) -> st.SearchStrategy[tuple[list[Event], ...]]:
        part = st.lists(st.sampled_from(log), max_size=12) if log else st.just([])
        return st.tuples(*[part] * count)

    return logs().flatmap(some)
