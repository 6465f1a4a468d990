"""What reviewers do, as events that are only ever added.

An event is about one word. The current state of a word is computed from its events
(`bilex.review.projection`), so two copies of a log are merged by taking the events of both.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Self, cast, get_args

from bilex.errors import EventError

Kind = Literal["accept", "none", "not-entry", "skip", "note", "undo"]
"""What was decided.

accept: the word has these translations; none: no shown candidate is right; not-entry: the word
does not belong in the dictionary; skip: ask again later; note: only a note; undo: an earlier event
of the same word no longer counts, which may itself be an undo.
"""
Reason = Literal["queue", "again", "audit", "batch", "second", "search", "import"]
"""Why the word was asked: next in the queue, asked again because a new model has other candidates
than those that were all rejected, a random audit, part of a batch of probable words, a second
opinion, chosen by the reviewer, or read from an edited file."""

KINDS: tuple[Kind, ...] = get_args(Kind)
REASONS: tuple[Reason, ...] = get_args(Reason)
LONGEST_TEXT = 2_000  # characters of a note, and of a translation
LONGEST_WORD = 300  # characters; PostgreSQL's indexes hold at most 2,704 bytes a row
LONGEST_NAME = 200  # characters of an id, a reviewer, a policy, ...

_NAMES = ("id", "reviewer", "policy", "model", "batch", "undoes", "part_of_speech")
_names_of = attrgetter(*_NAMES)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


class Shown(NamedTuple):
    """A candidate as the reviewer saw it; None if it had no probability."""

    target: str
    probability: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One action of one reviewer on one word.

    Attributes:
        id: Made by the client, at random. An event that is sent again has the same id.
        at: When, as UTC in the form 2026-01-31T12:00:00.000000Z. Events of a word count in the
            order of (at, id).
        reviewer: Who.
        word: The source word.
        kind: What was decided.
        targets: Translations that were accepted, the best one first: candidates, or the reviewer's
            own. Empty unless the kind is accept.
        shown: Candidates in the order in which they were shown.
        reason: Why the word was asked.
        policy: The queue policy that chose the word; empty if none did.
        model: The model whose candidates were shown.
        batch: Events that were made together have the same batch; empty if alone.
        undoes: The id of the event that no longer counts; empty unless the kind is undo.
        resolves: Whether an editor decides between reviewers who disagree.
        part_of_speech: Such as "noun"; empty if not given.
        sense: A short label of the meaning; empty if not given.
        note: Any text for other reviewers.
    """

    id: str
    at: str
    reviewer: str
    word: str
    kind: Kind
    targets: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    reason: Reason = "queue"
    policy: str = ""
    model: str = ""
    batch: str = ""
    undoes: str = ""
    resolves: bool = False
    part_of_speech: str = ""
    sense: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        problem = _problem(self)
        if problem:
            raise EventError(f"event {self.id!r} of the word {self.word!r}: {problem}")

    @property
    def order(self) -> tuple[str, str]:
        """Return the key by which events of a word are sorted."""
        return self.at, self.id

    @property
    def is_decision(self) -> bool:
        """Return whether the event says what the entry should be."""
        return self.kind in ("accept", "none", "not-entry")

    @property
    def rejected(self) -> tuple[str, ...]:
        """Return shown candidates that the reviewer did not accept."""
        if not self.is_decision or self.kind == "not-entry":
            return ()
        return tuple(each.target for each in self.shown if each.target not in self.targets)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; fields that have their default are left out."""
        return {
            name: getattr(self, name)
            for name, default in _DEFAULTS.items()
            if getattr(self, name) != default
        }

    def to_json(self) -> str:
        """Return one line of a log."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read one line of a log.

        Raises:
            EventError: If the line is not an event; the message says what is wrong.
        """
        try:
            values = json.loads(line)
        except ValueError as problem:
            raise EventError(f"not JSON: {problem}") from problem
        if not isinstance(values, dict):
            raise EventError(f"expected a JSON object, found {line[:80]!r}")
        return cls.from_dict(values)

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Self:
        """Make an event from what `to_dict` returned, without checking it once more."""
        made = object.__new__(cls)
        for name, default in _DEFAULTS.items():
            object.__setattr__(made, name, values.get(name, default))
        if made.targets:
            object.__setattr__(made, "targets", tuple(made.targets))
        if made.shown:
            object.__setattr__(made, "shown", tuple(map(Shown._make, made.shown)))
        return made

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make an event from plain values, checking their types."""
        unknown = values.keys() - _DEFAULTS.keys()
        if unknown:
            known = ", ".join(_DEFAULTS)
            raise EventError(f"unknown fields {', '.join(sorted(unknown))}: expected {known}")
        missing = sorted(_REQUIRED - values.keys())
        if missing:
            raise EventError(f"missing fields {', '.join(missing)}")
        made = dict(values)
        made["targets"] = tuple(_texts("targets", values.get("targets", ())))
        made["shown"] = tuple(map(_shown, _sequence("shown", values.get("shown", ()))))
        for name, value in made.items():
            if name not in ("targets", "shown", "resolves") and not isinstance(value, str):
                raise EventError(f"{name} is {value!r}, expected text")
        if not isinstance(made.get("resolves", False), bool):
            raise EventError(f"resolves is {made['resolves']!r}, expected true or false")
        return cls(**made)


_REQUIRED = {"id", "at", "reviewer", "word", "kind"}
_DEFAULTS = {field.name: field.default for field in fields(Event)}


def distinct(events: Iterable[Event]) -> list[Event]:
    """Return each event once, in the order of (at, id).

    If different events have the same id, which random ids rule out, the same one is kept whatever
    their order: the first by (at, JSON).
    """
    found: dict[str, Event] = {}
    for event in events:
        other = found.setdefault(event.id, event)
        if other != event:
            found[event.id] = min(other, event, key=lambda each: (each.at, each.to_json()))
    return sorted(found.values(), key=lambda each: each.order)


def time_text(moment: datetime) -> str:
    """Return a moment in the form of `Event.at`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text_problem(text: str) -> str:
    """Return why a text cannot be stored in every database; empty if it can."""
    if not _UNSTORABLE.search(text):
        return ""
    if "\x00" in text:  # PostgreSQL cannot store it
        return f"a NUL character in {text[:80]!r}"
    return f"half of a surrogate pair in {text[:80]!r}, which is not valid Unicode"


def _problem(event: Event) -> str:
    """Return why an event cannot be stored; empty if it can."""
    if event.kind not in KINDS:
        return f"kind {event.kind!r}, expected one of {', '.join(KINDS)}"
    if event.reason not in REASONS:
        return f"reason {event.reason!r}, expected one of {', '.join(REASONS)}"
    for name in ("id", "reviewer", "word"):
        if not cast(str, getattr(event, name)).strip():
            return f"no {name}"
    if not _is_time(event.at):
        return f"time {event.at!r}, expected a form like 2026-01-31T12:00:00.000000Z"
    return _problem_of_kind(event) or _problem_of_texts(event)


def _is_time(text: str) -> bool:
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:  # such as a 13th month
        return False
    return True


def _problem_of_kind(event: Event) -> str:
    if bool(event.targets) != (event.kind == "accept"):
        return "translations are given if and only if the kind is accept"
    if len(set(event.targets)) < len(event.targets) or not all(map(str.strip, event.targets)):
        return f"empty or repeated translations in {list(event.targets)}"
    if bool(event.undoes) != (event.kind == "undo"):
        return "undoes is given if and only if the kind is undo"
    if event.kind == "note" and not (event.note or event.part_of_speech or event.sense):
        return "a note without text"
    return ""


def _problem_of_texts(event: Event) -> str:
    names = _names_of(event)
    if max(map(len, names)) > LONGEST_NAME or _CONTROL.search("".join(names)):
        return next(filter(None, map(_problem_of_name, _NAMES, names)))
    if len(event.word) > LONGEST_WORD:
        return f"a word of {len(event.word)} characters, expected at most {LONGEST_WORD}"
    texts = [event.word, event.note, event.sense, *event.targets]
    for target, probability in event.shown:
        texts.append(target)
        if probability is not None and not math.isfinite(probability):
            return f"probability {probability} of {target!r}, expected a number"
    longest = max(map(len, texts))
    if longest > LONGEST_TEXT:
        return f"a text of {longest} characters, expected at most {LONGEST_TEXT}"
    return text_problem(" ".join((*texts, *names)))


def _problem_of_name(name: str, text: str) -> str:
    if len(text) > LONGEST_NAME:
        return f"{name} has {len(text)} characters, expected at most {LONGEST_NAME}"
    return f"a control character in {name} {text!r}" if _CONTROL.search(text) else ""


def _sequence(name: str, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise EventError(f"{name} is {value!r}, expected a list")
    return value


def _texts(name: str, value: object) -> list[str]:
    items = _sequence(name, value)
    if not all(isinstance(item, str) for item in items):
        raise EventError(f"{name} is {value!r}, expected a list of texts")
    return cast(list[str], list(items))


def _shown(value: object) -> Shown:
    if isinstance(value, list | tuple) and len(value) == 2:
        target, probability = value
        if isinstance(target, str):
            if probability is None:
                return Shown(target)
            if isinstance(probability, int | float):
                return Shown(target, float(probability))
    raise EventError(f"{value!r} in shown, expected [candidate, probability]")
