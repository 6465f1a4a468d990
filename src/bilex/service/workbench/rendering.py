"""Pages from templates: what every page knows, and what a question needs."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from bilex.review.events import time_text
from bilex.review.interview import Interview, Question
from bilex.review.project import UNLISTED_RANK, Counts, Project, ReviewItem
from bilex.review.returning import as_asked
from bilex.review.store import ReviewStore
from bilex.service.languages import written_language
from bilex.service.pages import make_templates
from bilex.service.workbench.access import Access, Reviewer
from bilex.service.workbench.descriptions import (
    REASON_HELP,
    REASON_NAMES,
    STATE_NAMES,
    Description,
    describe,
    describe_batch,
)
from bilex.service.workbench.evidence import Evidence

MOST_SHOWN = 9  # candidates; each has a key
DEFAULT_POLICY = "value"


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """Settings of the review pages.

    Attributes:
        access: Says who sent a request.
        policy: The queue policy that chooses words; the store has its priorities.
        interview: How often audits, second opinions and skipped words are asked.
        evidence: Finds sentences and nearest words.
        batch_size: The largest number of words on a batch page.
    """

    access: Access
    policy: str = DEFAULT_POLICY
    interview: Interview = field(default_factory=Interview)
    evidence: Evidence = field(default_factory=Evidence)
    batch_size: int = 50


class Workbench:
    """The store and the settings, and how pages are made from them."""

    def __init__(self, store: ReviewStore, settings: ReviewSettings) -> None:
        self.store, self.settings = store, settings

    def page(
        self,
        request: Request,
        template: str,
        reviewer: Reviewer | None,
        *,
        status: int = 200,
        **values: Any,  # noqa: ANN401 - templates take anything
    ) -> HTMLResponse:
        """Return a page or a part of one."""
        return HTMLResponse(self.text(request, template, reviewer, **values), status)

    def text(
        self,
        request: Request,
        template: str,
        reviewer: Reviewer | None,
        **values: Any,  # noqa: ANN401 - templates take anything
    ) -> str:
        """Return a page or a part of one, as HTML."""
        project = self.store.project
        known: dict[str, Any] = {
            "project": project,
            "project_name": _name(project),
            "source": written_language(project.source_language),
            "target_language": written_language(project.target_language),
            "reviewer": reviewer,
            "here": request.url.path,
            "csrf": "",
            "outbox_key": "",
        }
        if reviewer is not None:
            known["csrf"] = self.settings.access.form_token(request)
            known["outbox_key"] = _outbox_key(project, reviewer)
        return _templates().get_template(template).render(known | values)

    def next(self, reviewer: Reviewer) -> Question | None:
        """Return the next question for a reviewer; None if no word is waiting."""
        return self.settings.interview.next_question(
            self.store, reviewer.name, policy=self.settings.policy, seed=self.store.project.seed
        )

    def question_values(self, question: Question | None, *, at_once: bool) -> dict[str, Any]:
        """Return what the template of a question needs.

        Args:
            question: The question; None if there is none.
            at_once: Whether the page has the evidence, or asks for it when it is shown.
        """
        if question is None:
            return {"item": None, "question": None}
        item, evidence = question.item, self.settings.evidence
        asked = asked_item(item, question.reason)
        candidates = asked.word.candidates[:MOST_SHOWN]
        return {
            "item": item,
            "question": question,
            "candidates": candidates,
            "shown": json.dumps(
                [[each.target, each.probability] for each in candidates], ensure_ascii=False
            ),
            "event_id": new_id(),
            "evidence_wanted": evidence.is_wanted,
            "evidence": evidence.about(asked) if at_once and evidence.is_wanted else None,
        }

    def last_values(self, reviewer: Reviewer) -> dict[str, Any]:
        """Return what the line above a question needs: the last action, and how far the work is."""
        counts = self.progress()
        return {
            "last": self.last_action(reviewer),
            "event_id_for_undo": new_id(),
            "decided": counts.decided,
            "total": counts.words,
            "swap": False,
        }

    def last_action(self, reviewer: Reviewer) -> Description | None:
        """Return what `undo` would undo now."""
        events = self.store.last_action(reviewer.name)
        if not events:
            return None
        return describe_batch(events) if events[0].batch else describe(events[0])

    def progress(self) -> Counts:
        """Return how many words are in each state, without who did how much on which day."""
        return Counts(states=self.store.states())


def current_workbench(request: Request) -> Workbench:
    """Return the workbench of the app."""
    found: Workbench = request.app.state.workbench
    return found


CurrentWorkbench = Annotated[Workbench, Depends(current_workbench)]


def asked_item(item: ReviewItem, reason: str) -> ReviewItem:
    """Return a word with the candidates to show: fresh ones only if it is asked again."""
    return replace(item, word=as_asked(item)) if reason == "again" else item


def new_id() -> str:
    """Return a new random id for an event."""
    return secrets.token_urlsafe(15)


def is_part(request: Request) -> bool:
    """Return whether htmx asks for a part of a page, and not the browser for a whole one."""
    return request.headers.get("HX-Request") == "true"


def _name(project: Project) -> str:
    """Return what a project is called."""
    pair = f"{project.source_language or '?'} → {project.target_language or '?'}"
    return project.title or pair


def _outbox_key(project: Project, reviewer: Reviewer) -> str:
    """Return a name for decisions that wait in the browser: of this project and this person."""
    mark = [project.title, project.source_language, project.target_language, project.seed]
    return hashlib.sha256(json.dumps([*mark, reviewer.name]).encode()).hexdigest()[:16]


@cache
def _templates() -> Environment:
    made = make_templates()
    made.globals |= {
        "state_names": STATE_NAMES,
        "reason_names": REASON_NAMES,
        "reason_help": REASON_HELP,
        "unlisted": UNLISTED_RANK,
        "server_time": lambda: time_text(datetime.now(UTC)),
    }
    made.filters["when"] = _when
    return made


def _when(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC"
