"""The review page: one word after the other, decided and undone."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import EventError
from bilex.review.events import Event, time_text
from bilex.review.interview import Question
from bilex.review.project import ReviewItem
from bilex.review.projection import ReviewedEntry
from bilex.service.workbench.access import (
    AskedReviewer,
    CurrentReviewer,
    DecidingReviewer,
    RefusedError,
    Reviewer,
)
from bilex.service.workbench.descriptions import describe
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench, asked_item, is_part

STORED = "X-Bilex-Stored"
"""The header of an answer that names the event which is stored now."""

router = APIRouter()

_DECISIONS = ("accept", "none", "not-entry")
_SPARE = 40  # questions that a page keeps for the time without a connection: some minutes
_SPARE_WITH_EVIDENCE = 12  # the same if each has to be looked up in texts
_SPARE_OF = 400  # the most frequent open words, of which they are drawn


@router.get("/review")
def review(
    request: Request,
    workbench: CurrentWorkbench,
    reviewer: AskedReviewer,
    word: str | None = None,
    again: str = "",
) -> Response:
    """Show the next word, or one that was chosen; `again` is an event that was undone."""
    chosen = word is not None
    question = _chosen(workbench, word or "", again) if chosen else workbench.next(reviewer)
    return workbench.page(
        request,
        "review.html",
        reviewer,
        notice="",
        **workbench.question_values(question, at_once=True),
        **workbench.last_values(reviewer),
    )


@router.get("/evidence")
def evidence(
    request: Request,
    workbench: CurrentWorkbench,
    reviewer: CurrentReviewer,
    word: str,
    reason: str = "",
) -> Response:
    """Show sentences and nearest words of a word, as a part of its page."""
    item = asked_item(existing(workbench, word), reason)
    found = workbench.settings.evidence.about(item)
    return workbench.page(request, "evidence.html", reviewer, item=item, evidence=found)


@router.get("/spare")
def spare(request: Request, workbench: CurrentWorkbench, reviewer: AskedReviewer) -> Response:
    """Return questions that a page can ask while there is no connection.

    They are drawn, so that people who lose the connection together rarely decide the same words.
    """
    number = _SPARE_WITH_EVIDENCE if workbench.settings.evidence.is_wanted else _SPARE
    frequent = list(workbench.store.items(state="open", limit=_SPARE_OF))
    drawn = random.sample(frequent, min(number, len(frequent)))
    questions = [
        workbench.question_values(Question(item, "queue", "frequency"), at_once=True)
        for item in sorted(drawn, key=lambda each: each.word.rank)
    ]
    return workbench.page(request, "spare.html", reviewer, questions=questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The form of a question."""

    id: Annotated[str, Form()]
    word: Annotated[str, Form()]
    kind: Annotated[str, Form()]
    target: Annotated[tuple[str, ...], Form()] = ()
    own: Annotated[str, Form()] = ""
    shown: Annotated[str, Form()] = "[]"
    reason: Annotated[str, Form()] = "queue"
    policy: Annotated[str, Form()] = ""
    model: Annotated[str, Form()] = ""
    part_of_speech: Annotated[str, Form()] = ""
    sense: Annotated[str, Form()] = ""
    note: Annotated[str, Form()] = ""
    kept_at: Annotated[str, Form()] = ""

    def event(self, reviewer: Reviewer, entry: ReviewedEntry) -> Event:
        """Return the event to store; if nothing was chosen, the first candidate is accepted.

        Args:
            reviewer: Who decides.
            entry: What was decided before.

        Raises:
            EventError: If the form has impossible values.
        """
        shown = self._shown()
        own = " ".join(self.own.split())
        targets = dict.fromkeys((*self.target, own) if own else self.target)
        if not targets and shown:
            targets = {shown[0][0]: None}
        if self.kind == "accept" and not targets:
            raise EventError("nothing to accept: choose a translation or type your own")
        return Event.from_dict(
            {
                "id": self.id,
                "at": moment(self.kept_at),
                "reviewer": reviewer.name,
                "word": self.word,
                "kind": self.kind,
                "targets": list(targets) if self.kind == "accept" else [],
                "shown": shown,
                "reason": self.reason,
                "policy": self.policy,
                "model": self.model,
                "resolves": self.kind in _DECISIONS and reviewer.resolves(entry, self.reason),
                "part_of_speech": self.part_of_speech.strip(),
                "sense": self.sense.strip(),
                "note": self.note.strip(),
            }
        )

    def _shown(self) -> list[Any]:
        """Return the candidates that were shown, as [candidate, probability]."""
        try:
            shown = json.loads(self.shown)
        except (ValueError, RecursionError):
            shown = None
        if isinstance(shown, list) and all(isinstance(each, list) and each for each in shown):
            return shown
        raise EventError(f"shown is {self.shown[:80]!r}, expected a list of candidates")


@router.post("/decide")
def decide(
    request: Request,
    workbench: CurrentWorkbench,
    reviewer: DecidingReviewer,
    decision: Annotated[Decision, Depends()],
) -> Response:
    """Store a decision and show the next word."""
    item = existing(workbench, decision.word)
    event = decision.event(reviewer, item.entry)
    workbench.store.add([event])
    if decision.kept_at:
        return _stored(Response(status_code=204), event)
    if not is_part(request):
        return _stored(RedirectResponse("/review", status_code=303), event)
    question = workbench.next(reviewer)
    after = f"Next: {question.item.word.word}" if question else "No word is waiting."
    notice = f"Saved: {describe(event).text}. {after}"
    return _stored(_next_part(request, workbench, reviewer, question, notice), event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The form of an undo: of one event, or of a batch."""

    id: Annotated[str, Form()]
    word: Annotated[str, Form()] = ""
    undoes: Annotated[str, Form()] = ""
    batch: Annotated[str, Form()] = ""
    kept_at: Annotated[str, Form()] = ""
    back: Annotated[str, Form()] = ""


@router.post("/undo")
def undo(
    request: Request,
    workbench: CurrentWorkbench,
    reviewer: DecidingReviewer,
    form: Annotated[Undo, Depends()],
) -> Response:
    """Undo an event or a whole batch, and ask the word again."""
    if form.batch:
        events = workbench.store.batch(form.batch)
    else:
        events = [each for each in workbench.store.history(form.word) if each.id == form.undoes]
    if not events:
        raise RefusedError(404, "Nothing to undo", "There is no such action.")
    if not all(map(reviewer.may_undo, events)):
        raise RefusedError(403, "Not undone", "Only editors undo what others did.")
    workbench.store.add(_undo_events(events, form, reviewer))
    first = events[0]
    if form.kept_at:
        return _stored(Response(status_code=204), first, id=form.id)
    if form.batch:
        return RedirectResponse("/batch", status_code=303)
    if not is_part(request):
        again = {"word": first.word, "again": first.id}
        where = f"/review?{urlencode(again)}"
        if form.back == "entry":
            where = f"/entry?{urlencode({'word': first.word})}"
        return RedirectResponse(where, status_code=303)
    question = _chosen(workbench, first.word, first.id)
    notice = f"Undone: {describe(first).text}. Again: {first.word}"
    answer = _next_part(request, workbench, reviewer, question, notice)
    return _stored(answer, first, id=form.id)


def existing(workbench: Workbench, word: str) -> ReviewItem:
    """Return a word of the project; refuse a request for any other."""
    item = workbench.store.item(word) if word else None
    if item is None:
        raise RefusedError(404, "No such word", f"This project has no word {word!r}.")
    return item


def moment(kept_at: str) -> str:
    """Return when an event happened: when the page kept it, or now if that is not a past time."""
    now = time_text(datetime.now(UTC))
    try:
        datetime.strptime(kept_at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return now
    return min(kept_at, now)


def _undo_events(events: list[Event], form: Undo, reviewer: Reviewer) -> list[Event]:
    return [
        Event(
            id=f"{form.id}-{number}" if form.batch else form.id,
            at=moment(form.kept_at),
            reviewer=reviewer.name,
            word=event.word,
            kind="undo",
            undoes=event.id,
            reason=event.reason,
            batch=form.id if form.batch else "",
        )
        for number, event in enumerate(events)
    ]


def _chosen(workbench: Workbench, word: str, again: str) -> Question:
    """Return a question about a word that was chosen, or that is asked again after an undo."""
    item = existing(workbench, word)
    undone = [each for each in workbench.store.history(word) if again and each.id == again]
    reasons = {each.reason for each in undone}
    if not undone or reasons & {"batch", "import"} or ("again" in reasons and not item.again):
        return Question(item=item, reason="search", policy="")
    return Question(item=item, reason=undone[0].reason, policy=undone[0].policy)


def _next_part(
    request: Request,
    workbench: Workbench,
    reviewer: Reviewer,
    question: Question | None,
    notice: str,
) -> Response:
    return workbench.page(
        request,
        "next.html",
        reviewer,
        notice=notice,
        **workbench.question_values(question, at_once=False),
        **workbench.last_values(reviewer),
    )


def _stored(answer: Response, event: Event, *, id: str = "") -> Response:
    answer.headers[STORED] = quote(id or event.id, safe="")  # clients choose ids
    return answer
