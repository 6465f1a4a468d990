"""The batch page: nearly certain words, accepted or rejected together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from bilex.errors import EventError
from bilex.review.batches import Batch, NearCertain
from bilex.review.correction import Correction
from bilex.review.events import Event, Shown
from bilex.review.project import ReviewItem
from bilex.review.queue import QueueFeatures
from bilex.service.workbench.access import AskedReviewer, DecidingReviewer, Reviewer
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench, new_id
from bilex.service.workbench.reviewing import moment

router = APIRouter()

_ROUNDING = 1e-9  # the database may find a word that misses the limits by this much …
_SPARE = 20  # … so it gives some words more

FEWEST_AUDITED = 100
"""With fewer audited words, the probabilities of the model are not corrected."""


@router.get("/batch")
def batch(request: Request, workbench: CurrentWorkbench, reviewer: AskedReviewer) -> Response:
    """Show the next batch."""
    settings = NearCertain(size=workbench.settings.batch_size)
    audit = workbench.store.audit()
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
    least = settings.least
    if correction is not None:
        least = correction.undo(least) - _ROUNDING
    found = workbench.store.certain(
        least, from_lot=settings.reserved - _ROUNDING, limit=settings.size + _SPARE
    )
    features = QueueFeatures.of(workbench.store.project, [each.word for each in found])
    chosen = settings.choose(features, correction)
    return ([found[row] for row in chosen.rows] if chosen else []), chosen
