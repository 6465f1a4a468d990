"""The batch page: nearly certain words, accepted or rejected together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import EventError
from bilex.review.batches import Batch, NearCertain
from bilex.review.correction import Correction
from bilex.review.events import Event, Shown
from bilex.review.project import ReviewItem
from bilex.review.queue import QueueFeatures
from bilex.service.workbench.access import AskedReviewer, DecidingReviewer, Reviewer
from bilex.service.workbench.figures import audit_of
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench, new_id
from bilex.service.workbench.reviewing import moment

router = APIRouter()

_PAGE = 1_000  # words that are read at once
_MOST_READ = 20_000  # words that are examined for one batch

FEWEST_AUDITED = 100
"""With fewer audited words, the probabilities of the model are not corrected."""


@router.get("/batch")
def batch(request: Request, workbench: CurrentWorkbench, reviewer: AskedReviewer) -> Response:
    """Show the next batch."""
    settings = NearCertain(size=workbench.settings.batch_size)
    audit = audit_of(workbench.store, workbench.progress().words)
    correction = audit.correction(fewest=FEWEST_AUDITED)
    items, chosen = next_batch(workbench, settings, correction)
    return workbench.page(
        request,
        "batch.html",
        reviewer,
        items=items,
        batch=chosen,
        batch_id=new_id(),
        least=settings.least,
        fewest=settings.fewest,
        audited=audit.words if correction else 0,
        **workbench.last_values(reviewer),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchForm:
    """The form of a batch: a row for each word, and the numbers of the rows that are ticked."""

    id: Annotated[str, Form()]
    kind: Annotated[str, Form()]
    word: Annotated[tuple[str, ...], Form()]
    target: Annotated[tuple[str, ...], Form()]
    chance: Annotated[tuple[float, ...], Form()]
    ticked: Annotated[tuple[int, ...], Form()] = ()
    model: Annotated[str, Form()] = ""

    def events(self, reviewer: Reviewer) -> list[Event]:
        """Return an event for each word; a word that is not ticked is asked alone later.

        Raises:
            EventError: If the form has impossible values.
        """
        if self.kind not in ("accept", "none"):
            raise EventError(f"kind is {self.kind!r}, expected accept or none")
        if not len(self.word) == len(self.target) == len(self.chance):
            raise EventError("the form does not have a translation for each word")
        at, ticked, made = moment(""), set(self.ticked), []
        rows = zip(self.word, self.target, self.chance, strict=True)
        for number, (word, target, chance) in enumerate(rows):
            kind = self.kind if number in ticked else "skip"
            made.append(
                Event(
                    id=f"{self.id}-{number}",
                    at=at,
                    reviewer=reviewer.name,
                    word=word,
                    kind="accept" if kind == "accept" else "none" if kind == "none" else "skip",
                    targets=(target,) if kind == "accept" else (),
                    shown=(Shown(target, chance),),
                    reason="batch",
                    model=self.model,
                    batch=self.id,
                )
            )
        return made


@router.post("/batch")
def decide_batch(
    workbench: CurrentWorkbench,
    reviewer: DecidingReviewer,
    form: Annotated[BatchForm, Depends()],
) -> Response:
    """Store the decisions on a batch, all of them or none."""
    workbench.store.add(form.events(reviewer))
    return RedirectResponse("/batch", status_code=303)


def next_batch(
    workbench: Workbench, settings: NearCertain, correction: Correction | None = None
) -> tuple[list[ReviewItem], Batch | None]:
    """Return the most frequent open words that are nearly certain, and the expected errors.

    Args:
        workbench: The project.
        settings: What is nearly certain.
        correction: What the audit says about the probabilities.
    """
    store, found = workbench.store, list[ReviewItem]()
    project = store.project
    chosen: Batch | None = None
    after, read = None, 0
    while read < _MOST_READ and (chosen is None or len(chosen) < settings.size):
        page = store.items(state="open", after=after, limit=_PAGE)
        found += _certain(page.items, settings.least, correction)
        features = QueueFeatures.of(project, [each.word for each in found])
        chosen = settings.choose(features, correction)
        read, after = read + len(page), page.after
        if after is None:
            break
    return ([found[row] for row in chosen.rows] if chosen else []), chosen


def _certain(
    items: Sequence[ReviewItem], least: float, correction: Correction | None
) -> list[ReviewItem]:
    """Return the words whose first candidate is nearly certain."""
    firsts = [item.word.candidates[0] if item.word.candidates else None for item in items]
    known = [None if first is None else first.probability for first in firsts]
    chances = np.array([np.nan if chance is None else chance for chance in known])
    if correction is not None:
        chances = correction.apply(chances)
    return [item for item, chance in zip(items, chances.tolist(), strict=True) if chance >= least]
