"""Pages about the whole project: start, list of words, one word with its history, help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup

from bilex.review.events import Event
from bilex.review.project import Counts, ItemPage, ReviewItem
from bilex.review.projection import State, without_undone
from bilex.service.workbench.access import CurrentReviewer, Reviewer
from bilex.service.workbench.charts import cumulative_curve, interval
from bilex.service.workbench.descriptions import describe
from bilex.service.workbench.figures import agreement_of
from bilex.service.workbench.rendering import CurrentWorkbench, Workbench, is_part, new_id
from bilex.service.workbench.reviewing import existing

router = APIRouter()

_PAGE = 50  # words
_READ, _MOST_READS = 500, 20  # words at once and how often, to fill a page
_RECENT = 500  # events of the curve of the first day


@router.get("/")
def start(request: Request, workbench: CurrentWorkbench, reviewer: CurrentReviewer) -> Response:
    """Show how far the project is."""
    counts = workbench.store.counts()
    audit = workbench.store.audit()
    reviewers = sorted({each.reviewer for each in counts.tallies if each.is_decision})
    drawn = Markup("")
    if audit.precision is not None:
        label = f"{audit.precision:.0%}, between {audit.low:.0%} and {audit.high:.0%}"
        drawn = interval(audit.low, audit.precision, audit.high, label=label)
    return workbench.page(
        request,
        "start.html",
        reviewer,
        counts=counts,
        audit=audit,
        audit_drawn=drawn,
        curve=_curve(counts, workbench.store.last_events(reviewer.name, _RECENT)),
        reviewers=reviewers,
        compared=agreement_of(workbench.store) if len(reviewers) > 1 else None,
        last=workbench.last_action(reviewer),
    )


@router.get("/words")
def words(
    request: Request,
    workbench: CurrentWorkbench,
    reviewer: CurrentReviewer,
    state: str = "",
    search: Annotated[str, Query(max_length=300)] = "",
    after: str | None = None,
) -> Response:
    """Show a part of the list of words."""
    wanted = next((each for each in get_args(State) if each == state), None)
    found = _listed(workbench, reviewer, wanted, search.strip(), after)
    following = ""
    if found.after is not None:
        following = f"/words?{urlencode({'state': state, 'search': search, 'after': found.after})}"
    return workbench.page(
        request,
        "rows.html" if is_part(request) else "words.html",
        reviewer,
        found=found,
        following=following,
        is_first=after is None,
        counts=workbench.progress(),
        state=state,
        search=search,
    )


@router.get("/entry")
def entry(
    request: Request, workbench: CurrentWorkbench, reviewer: CurrentReviewer, word: str
) -> Response:
    """Show a word with everything that happened to it."""
    item = existing(workbench, word)
    if reviewer.is_blind_to(item.entry):
        return workbench.page(request, "entry.html", reviewer, item=item, rows=[], is_hidden=True)
    history = workbench.store.history(word)
    counting = {event.id for event in without_undone(history)}
    rows = [
        {
            "event": event,
            "said": describe(event),
            "undone": event.id not in counting,
            "may_undo": event.id in counting and reviewer.may_undo(event),
            "undo_id": new_id(),
            "what": _what(event, history),
        }
        for event in reversed(history)
    ]
    return workbench.page(request, "entry.html", reviewer, item=item, rows=rows, is_hidden=False)


@router.get("/help")
def help_page(request: Request, workbench: CurrentWorkbench, reviewer: CurrentReviewer) -> Response:
    """Show how to review."""
    return workbench.page(request, "help.html", reviewer)


def _listed(
    workbench: Workbench, reviewer: Reviewer, state: State | None, search: str, after: str | None
) -> ItemPage:
    """Return a page of words, without those whose state is the wanted one but must not be seen."""
    store = workbench.store
    if state is None or not reviewer.may_decide or reviewer.may_resolve:
        return store.items(state=state, search=search, after=after, limit=_PAGE)
    shown: list[ReviewItem] = []
    for _ in range(_MOST_READS):
        page = store.items(state=state, search=search, after=after, limit=_READ)
        shown += [item for item in page if not reviewer.is_blind_to(item.entry)]
        after = page.after
        if after is None or len(shown) > _PAGE:
            break
    # The address of the next page must not name a hidden word, either.
    last = shown[_PAGE - 1].word if len(shown) > _PAGE else None
    following = None if last is None else f"{last.rank} {last.word}"
    return ItemPage(items=tuple(shown[:_PAGE]), after=following)


def _what(event: Event, history: list[Event]) -> str:
    """Return what an event that accepts nothing did."""
    if event.kind != "undo":
        return describe(event).outcome
    undone = next((each for each in history if each.id == event.undoes), None)
    if undone is None:
        return "undid an action"
    return f"undid: {', '.join(undone.targets) or describe(undone).outcome}"


def _curve(counts: Counts, recent: Sequence[Event]) -> Markup:
    """Draw all decisions by day; on the first day, the reviewer's own decisions by time."""
    days: Counter[str] = Counter()
    for (day, _), number in counts.decisions.items():
        days[day] += number
    made = [_moment(event.at) for event in reversed(recent) if event.is_decision]
    if len(days) > 1:
        ordered = sorted(days.items())
        ends = [_moment(f"{day}T23:59:59.999999Z") for day, _ in ordered]
        totals = accumulate(number for _, number in ordered)
        points = [(ends[0] - timedelta(days=1), 0), *zip(ends, totals, strict=True)]
    elif len(made) > 1:
        points = [(made[0], 0), *((at, number) for number, at in enumerate(made, start=1))]
    else:
        return Markup("")
    return cumulative_curve(points, label=f"{points[-1][1]:,} decisions")


def _moment(at: str) -> datetime:
    return datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
