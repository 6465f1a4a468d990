"""Who is asking: the one place that decides, so that a team can have accounts instead.

`create_review_app` takes an `Access`. For one person it is `LoopbackAccess`: a random token in the
address that the command prints, then a cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from bilex.review.events import Event
from bilex.review.projection import ReviewedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """A person, and what this person may do.

    Attributes:
        name: Stored in events.
        may_decide: Whether decisions are accepted, or pages are only read.
        may_resolve: Whether a decision settles a disagreement of others, and events of others can
            be undone.
    """

    name: str
    may_decide: bool = True
    may_resolve: bool = False

    def may_undo(self, event: Event) -> bool:
        """Return whether this person may undo an event."""
        return self.may_decide and (self.may_resolve or event.reviewer == self.name)

    def is_blind_to(self, entry: ReviewedEntry) -> bool:
        """Return whether the decisions on a word are hidden from this person.

        They are while this person may be asked for another opinion on it, so that it is their own:
        if one other reviewer has decided, or others disagree. Editors see all decisions, since
        they resolve disagreements.
        """
        if not self.may_decide or self.may_resolve or self.name in entry.reviewers:
            return False
        return len(entry.decisions) == 1 or entry.state == "disputed"

    def resolves(self, entry: ReviewedEntry, reason: str) -> bool:
        """Return whether a decision of this person counts more than those of others.

        That of an editor does if others disagree, or if the editor has opened a decided word.
        """
        if not self.may_resolve or not set(entry.reviewers) - {self.name}:
            return False
        return entry.state == "disputed" or reason == "search"


class RefusedError(Exception):
    """A request that is not answered, with a message for the page."""

    def __init__(self, status: int, heading: str, text: str) -> None:
        super().__init__(text)
        self.status, self.heading, self.text = status, heading, text


class Access(Protocol):
    """Says who sent a request."""

    @property
    def router(self) -> APIRouter:
        """Return the routes by which people sign in."""
        ...

    def reviewer(self, request: Request) -> Reviewer:
        """Return who sent a request; raise `RefusedError` if that is not known."""
        ...

    def form_token(self, request: Request) -> str:
        """Return what each form must send back, so that other sites cannot send forms."""
        ...


class LoopbackAccess:
    """One person on this computer, who has the address with the token.

    Args:
        token: The secret in the address; random if None.
        name: Of the reviewer.
    """

    def __init__(self, token: str | None = None, *, name: str = "me") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._reviewer = Reviewer(name=name, may_resolve=True)
        # Browsers share cookies between the ports of a host: two workbenches need two names.
        digest = hashlib.sha256(self.token.encode()).hexdigest()
        self.cookie = f"bilex-review-{digest[:8]}"
        self.router = APIRouter()
        self.router.add_api_route("/open", self._open, methods=["GET"])

    def reviewer(self, request: Request) -> Reviewer:
        """Return the reviewer if the request has the cookie."""
        given = request.cookies.get(self.cookie, "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise RefusedError(
                403,
                "Open the address that bilex printed",
                "This page is for the person who started bilex review. Use the complete address "
                "that the command printed, with its token.",
            )
        return self._reviewer

    def form_token(self, request: Request) -> str:
        """Return a token that only pages of this server can know."""
        return hmac.new(self.token.encode(), b"form", hashlib.sha256).hexdigest()

    def _open(self, token: str = "") -> Response:
        answer = RedirectResponse("/", status_code=303)
        if hmac.compare_digest(token.encode(), self.token.encode()):
            answer.set_cookie(
                self.cookie, token, httponly=True, samesite="lax", max_age=30 * 24 * 3600
            )
        return answer


def current_reviewer(request: Request) -> Reviewer:
    """Return who sent a request; every route that shows or changes data depends on it."""
    access: Access = request.app.state.settings.access
    return access.reviewer(request)


def asked_reviewer(reviewer: Annotated[Reviewer, Depends(current_reviewer)]) -> Reviewer:
    """Return who sent a request, if this person may decide; pages with questions depend on it."""
    if not reviewer.may_decide:
        raise RefusedError(403, "For reviewers", "You may read, but not decide: ask an admin.")
    return reviewer


def form_sender(
    request: Request,
    reviewer: Annotated[Reviewer, Depends(current_reviewer)],
    csrf: Annotated[str, Form()] = "",
) -> Reviewer:
    """Return who sent a form, if it is a form of ours; every POST depends on it."""
    access: Access = request.app.state.settings.access
    if not hmac.compare_digest(csrf.encode(), access.form_token(request).encode()):
        raise RefusedError(
            403, "Not saved", "The form is too old, or was not made here: reload the page."
        )
    return reviewer


def deciding_reviewer(reviewer: Annotated[Reviewer, Depends(form_sender)]) -> Reviewer:
    """Return who sent a form, if this person may decide."""
    return asked_reviewer(reviewer)


CurrentReviewer = Annotated[Reviewer, Depends(current_reviewer)]
AskedReviewer = Annotated[Reviewer, Depends(asked_reviewer)]
FormSender = Annotated[Reviewer, Depends(form_sender)]
DecidingReviewer = Annotated[Reviewer, Depends(deciding_reviewer)]
