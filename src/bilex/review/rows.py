"""Words and entries as rows of a database, and back."""

from __future__ import annotations

import json
from typing import Any

from bilex.review.audit import verdict
from bilex.review.events import Event
from bilex.review.project import UNLISTED_RANK, Candidate, Project, ReviewItem, ReviewWord
from bilex.review.projection import ReviewedEntry
from bilex.review.returning import returns
from bilex.review.second_opinions import doubt

SEPARATOR = "\x1f"  # no name has control characters


def word_row(project: Project, word: ReviewWord) -> dict[str, Any]:
    """Return the columns of a word that do not depend on events."""
    return {
        "word": word.word,
        "rank": word.rank,
        "listed": word.rank < UNLISTED_RANK,
        "shuffle": project.order(word.word),
        "folded": folded(word.word),
        "candidates": _dumps(word.candidates),
        "chance": word.candidates[0].probability if word.candidates else None,
    }


def unlisted_row(project: Project, word: str) -> dict[str, Any]:
    """Return all columns of a word that somebody decides on though it is not in the list."""
    row = word_row(project, ReviewWord(word=word, rank=UNLISTED_RANK))
    return row | entry_row(ReviewedEntry(word=word))


def entry_row(entry: ReviewedEntry) -> dict[str, Any]:
    """Return the columns of a word that are computed from its events; the same bytes each time."""
    content = {
        "targets": entry.targets,
        "rejected": entry.rejected,
        "decisions": [event.to_dict() for event in entry.decisions],
        "earlier": [event.to_dict() for event in entry.earlier],
        "passed": entry.passed,
        "part_of_speech": entry.part_of_speech,
        "sense": entry.sense,
        "notes": entry.notes,
    }
    reviewers = sorted(entry.reviewers)
    audited = verdict(entry)
    return {
        "state": entry.state,
        "opinions": len(reviewers),
        "deciders": SEPARATOR.join(("", *reviewers, "")) if reviewers else "",
        "doubt": doubt(entry.decisions[0]) if len(entry.decisions) == 1 else 0.0,
        "audited": audited.kind,
        "audited_model": audited.model,
        "audited_chance": audited.probability,
        "changed": entry.changed,
        "entry": _dumps({name: value for name, value in content.items() if value}),
    }


def read_item(row: Any, model: str) -> ReviewItem:  # noqa: ANN401 - a row has the attributes of its query
    """Return what pages show of a row of the table `words`; the project has the model's name."""
    word = ReviewWord(word=row.word, rank=row.rank, candidates=read_candidates(row.candidates))
    entry = read_entry(row)
    return ReviewItem(word=word, entry=entry, again=row.listed and returns(word, entry, model))


def read_event(body: str) -> Event:
    """Return the event of a row of the table `events`."""
    return Event.from_stored(json.loads(body))


def read_candidates(text: str) -> tuple[Candidate, ...]:
    """Return the candidates of a word."""
    return tuple(Candidate(*values) for values in json.loads(text))


def folded(text: str) -> str:
    """Return a text as it is compared in a search: without differences of case."""
    return text.casefold()


def read_entry(row: Any) -> ReviewedEntry:  # noqa: ANN401
    """Return what reviewers have decided, of a row of the table `words`."""
    values = json.loads(row.entry)
    return ReviewedEntry(
        word=row.word,
        state=row.state,
        targets=tuple(values.get("targets", ())),
        rejected=tuple(values.get("rejected", ())),
        decisions=tuple(map(Event.from_stored, values.get("decisions", ()))),
        earlier=tuple(map(Event.from_stored, values.get("earlier", ()))),
        passed=tuple(values.get("passed", ())),
        part_of_speech=values.get("part_of_speech", ""),
        sense=values.get("sense", ""),
        notes=tuple((reviewer, note) for reviewer, note in values.get("notes", ())),
        changed=row.changed,
    )


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
