"""Reviewed dictionaries as files: decisions go out with the entries, and edits come back as events.

An edited file is compared with the dictionary that was exported, so that decisions made in the
meantime are not taken back. Per word, there is at most one event:

- Origin `reviewed` accepts a translation, `rejected` rejects it. In a spreadsheet, the column
  `review` does the same.
- A new row is the reviewer's own translation. If it has the origin `induced`, it counts only where
  another row of the word is gone, because then a translation was corrected.
- A changed part of speech, sense or note is that of the word.
- A row that is gone means nothing, since people send back parts of a file; with
  `deleted="reject"`, it rejects the translation, and a word without any row is not worth an entry.
- An empty cell removes nothing: what was said about a word stays in its history.
- Everything else in a file, such as probabilities and the order of rows, is not compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID, uuid5

from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata, Origin
from bilex.review.events import Event, Kind, Shown
from bilex.review.project import Candidate, Project, ReviewItem

Deleted = Literal["keep", "reject"]
"""What a deleted row means: nothing, or that the translation is wrong."""

WORD_FIELDS = ("part_of_speech", "sense", "note")
"""What reviewers say about a word; each row of the word has it."""

_DECIDED = ("reviewed", "rejected")
_NAMESPACE = UUID("0f3c1f5e-6a8e-5b52-8b57-0d0b5f6a9e27")  # of the ids of imported events
_BREAKS = re.compile("[\t\n\r\0]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What was changed in a file.

    Attributes:
        events: One for each word that was changed, in the order of the file, in one batch.
        unused: Edits that no event can express, each in words.
        missing: How many exported rows are not in the file.
    """

    events: tuple[Event, ...] = ()
    unused: tuple[str, ...] = ()
    missing: int = 0


def reviewed_dictionary(
    items: Iterable[ReviewItem], project: Project, *, unreviewed: bool = True
) -> Dictionary:
    """Return the entries of a review: accepted translations, open candidates, rejected pairs.

    Words that reviewers found not worth an entry are left out. Part of speech, sense and the last
    note of a word are in each of its entries.

    Args:
        items: In the order of the dictionary.
        project: Its languages, title and model are those of the dictionary.
        unreviewed: Whether to keep candidates that nobody has decided on and that are no seeds.
    """
    entries = tuple(entry for item in items for entry in _entries(item, project.model))
    return Dictionary(
        tuple(entry for entry in entries if unreviewed or entry.origin != "induced"),
        DictionaryMetadata(
            source_language=project.source_language or "und",
            target_language=project.target_language or "und",
            title=_one_line(project.title),
        ),
    )


def edits(
    exported: Dictionary,
    edited: Dictionary,
    *,
    reviewer: str,
    at: str,
    resolves: bool = False,
    deleted: Deleted = "keep",
) -> Edits:
    """Return the edits of a file as events, ready to be stored.

    The ids of events depend on what was edited and by whom, not on the time. A file that is
    imported twice against the same export therefore counts once.

    Args:
        exported: The dictionary that was exported.
        edited: The same after people worked on it.
        reviewer: Who edited it.
        at: When, in the form of `Event.at`.
        resolves: Whether an editor decides, whatever other reviewers said. If not, the edits are
            one reviewer's decisions beside those of others.
        deleted: What a row means that was exported and is not in the file.

    Raises:
        EventError: If an edit cannot be stored, such as a note that is too long.
    """
    before, after = _by_word(exported), _by_word(edited)
    names = tuple(name for name in WORD_FIELDS if any(getattr(entry, name) for entry in edited))
    events: list[Event] = []
    unused: list[str] = []
    for word in dict.fromkeys([*after, *before]):
        change = _Change(word, before.get(word, {}), after.get(word, {}), deleted, names)
        made = change.event(reviewer=reviewer, at=at, resolves=resolves)
        events += [] if made is None else [made]
        unused += dict.fromkeys(change.unused)
    batch = str(uuid5(_NAMESPACE, "\n".join(event.id for event in events)))
    model = _model(exported)
    missing = sum(target not in after.get(word, {}) for word in before for target in before[word])
    return Edits(
        events=tuple(
            replace(event, batch=batch, model=_model(before.get(event.word, {}).values()) or model)
            for event in events
        ),
        unused=tuple(unused),
        missing=missing,
    )


def _entries(item: ReviewItem, model: str) -> Iterator[DictionaryEntry]:
    reviewed = item.entry
    if reviewed.state == "not-entry":
        return
    candidates = {_one_line(each.target): each for each in reversed(item.word.candidates)}
    accepted = list(dict.fromkeys(map(_one_line, reviewed.targets)))
    rejected = [one for one in map(_one_line, reviewed.rejected) if one not in accepted]
    listed = dict.fromkeys(_one_line(each.target) for each in item.word.candidates)
    rest = [target for target in listed if target not in (*accepted, *rejected)]
    unknown = Candidate("", origin="reviewed")
    for rank, target in enumerate((*accepted, *rest, *rejected), start=1):
        candidate = candidates.get(target, unknown)
        origin = _origin(candidate)
        if target in accepted:
            origin = "reviewed"
        elif target in rejected:
            origin = "rejected"
        who, when = _reviewers(item, target, origin)
        yield DictionaryEntry(
            item.word.word,
            target,
            probability=candidate.probability,
            rank=None if origin == "rejected" else rank,
            origin=origin,
            model=model if candidate.origin == "induced" else "",
            part_of_speech=_one_line(reviewed.part_of_speech),
            sense=_one_line(reviewed.sense),
            note=_one_line(reviewed.notes[-1][1]) if reviewed.notes else "",
            reviewer=who,
            reviewed_at=when,
        )


def _origin(candidate: Candidate) -> Origin:
    """Return the origin of a candidate that is not decided; that of another dictionary is open."""
    return "seed" if candidate.origin == "seed" else "induced"


def _reviewers(item: ReviewItem, target: str, origin: Origin) -> tuple[str, str]:
    """Return who accepted or rejected a translation, and when this was done last."""
    if origin not in _DECIDED:
        return "", ""
    agreeing = [
        event
        for event in (*item.entry.earlier, *item.entry.decisions)
        if target in map(_one_line, event.targets if origin == "reviewed" else event.rejected)
    ]
    names = dict.fromkeys(_one_line(event.reviewer) for event in agreeing)
    return "; ".join(names), max((event.at for event in agreeing), default="")


_Rows = dict[str, DictionaryEntry]
"""The entries of a word by translation."""


def _by_word(dictionary: Dictionary) -> dict[str, _Rows]:
    words: dict[str, _Rows] = {}
    for entry in dictionary:
        rows = words.setdefault(entry.source, {})
        if entry.target not in rows or entry.origin in _DECIDED:  # of equal rows, the decided one
            rows[entry.target] = entry
    return words


@dataclass(slots=True)
class _Change:
    """The edits of one word."""

    word: str
    before: _Rows
    after: _Rows
    deleted: Deleted
    names: tuple[str, ...]  # of the fields that the file has
    unused: list[str] = field(default_factory=list)

    def event(self, *, reviewer: str, at: str, resolves: bool) -> Event | None:
        """Return the event that has the effect of the edits; None if nothing was edited."""
        kind, accepted, rejected = self._decision()
        fields = {name: self._changed(name) for name in self.names}
        if kind is None:
            if not any(fields.values()):
                return None
            kind = "note"
        event = Event(
            id="new",
            at=at,
            reviewer=reviewer,
            word=self.word,
            kind=kind,
            targets=accepted if kind == "accept" else (),
            shown=self._shown(kind, accepted, rejected),
            reason="import",
            resolves=resolves and kind != "note",
            **fields,
        )
        return replace(event, id=self._id(event))

    def _decision(self) -> tuple[Kind | None, tuple[str, ...], tuple[str, ...]]:
        """Return the kind of decision, if one was made, with accepted and rejected words."""
        if not self.after and self.deleted == "reject":
            is_listed = any(entry.origin != "rejected" for entry in self.before.values())
            return ("not-entry" if is_listed else None), (), ()
        origins = {target: self._final(target) for target in (*self.before, *self.after)}
        accepted = tuple(target for target in origins if origins[target] == "reviewed")
        rejected = tuple(target for target in origins if origins[target] == "rejected")
        if set(accepted) == set(_of_origin(self.before, "reviewed")) and set(rejected) == set(
            _of_origin(self.before, "rejected")
        ):
            return None, (), ()
        if accepted:
            return "accept", accepted, rejected
        if rejected:
            return "none", (), rejected
        self.unused.append(
            f"{self.word!r}: its decision was removed; undo it in the workbench instead"
        )
        return None, (), ()

    def _final(self, target: str) -> str:
        """Return what a translation counts as after the edits: reviewed, rejected, or neither."""
        old, new = self.before.get(target), self.after.get(target)
        if new is None:
            is_wrong = self.deleted == "reject" and bool(self.after)
            return "rejected" if is_wrong or old is None else old.origin
        if new.origin in _DECIDED:
            return new.origin
        if old is not None:  # without a column of origins, all of them are read as seeds
            return new.origin if new.origin == "induced" else old.origin
        if new.origin == "seed" or not self.before.keys() <= self.after.keys():
            return "reviewed"
        self.unused.append(
            f"{self.word!r}: the new translation {target!r} has the origin induced; if it is "
            "right, set its origin to reviewed"
        )
        return new.origin

    def _changed(self, name: str) -> str:
        """Return the new text of a field; empty if it was not changed."""
        usual = next((getattr(entry, name) for entry in self.before.values()), "")
        texts: dict[str, None] = {}
        for target, entry in self.after.items():
            old = getattr(self.before[target], name) if target in self.before else usual
            text = getattr(entry, name)
            if text and text != old:
                texts[text] = None
            elif old and not text and target in self.before:
                self.unused.append(f"{self.word!r}: an empty {name} does not remove {old!r}")
        if name == "note":
            return "; ".join(texts)
        chosen, *others = (*texts, "")
        for other in filter(None, others):
            self.unused.append(f"{self.word!r}: the {name} {other!r}, because {chosen!r} is used")
        return chosen

    def _shown(
        self, kind: Kind, accepted: Sequence[str], rejected: Sequence[str]
    ) -> tuple[Shown, ...]:
        """Return what was decided on among the exported rows, and all that was rejected."""
        if kind == "note":
            return ()
        rows = {**self.after, **self.before}
        is_shown = {*rejected, *(target for target in accepted if target in self.before)}
        if kind == "not-entry":
            is_shown = set(rows)
        return tuple(
            Shown(target, rows[target].probability) for target in rows if target in is_shown
        )

    def _id(self, event: Event) -> str:
        """Return an id that is the same for the same edit of the same export."""
        old = [list(entry) for entry in self.before.values()]
        content = replace(event, id="new", at="2000-01-01T00:00:00.000000Z").to_json()
        return str(uuid5(_NAMESPACE, json.dumps([content, old])))


def _model(entries: Iterable[DictionaryEntry]) -> str:
    """Return the model that made entries; empty if none did."""
    return next((entry.model for entry in entries if entry.model), "")


def _of_origin(rows: _Rows, origin: Origin) -> list[str]:
    return [target for target, entry in rows.items() if entry.origin == origin]


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text).strip(" ")
