"""How good the dictionary is, and how well reviewers agree."""

from __future__ import annotations

from bilex.review.agreement import Agreement
from bilex.review.audit import Audit
from bilex.review.store import ReviewStore

MOST_COMPARED = 1_000
"""Words of the start page's agreement: more would make it slow and hardly change a number."""


def audit_of(store: ReviewStore, words: int) -> Audit:
    """Return the precision on the audit sample of a project with this many words."""
    return Audit.of(store.audit_sample(), population=words, model=store.project.model)


def agreement_of(store: ReviewStore) -> Agreement:
    """Return how well reviewers agree; in a large project, on a random sample of words."""
    return Agreement.of(item.entry for item in store.compared(limit=MOST_COMPARED))
