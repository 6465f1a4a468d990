"""How well reviewers agree."""

from __future__ import annotations

from typing import NamedTuple

from bilex.review.agreement import Agreement
from bilex.review.store import ReviewStore

MOST_COMPARED = 1_000
"""Decisions of the start page's agreement: more would make it slow and hardly change a number."""


class Sampled(NamedTuple):
    """The agreement, and whether it is of a random sample of the words."""

    agreement: Agreement
    is_sample: bool


def agreement_of(store: ReviewStore) -> Sampled:
    """Return how well reviewers agree; in a large project, on a random sample of words."""
    items = store.compared(decisions=MOST_COMPARED)
    decisions = sum(len(item.entry.decisions) for item in items)
    return Sampled(Agreement.of(item.entry for item in items), decisions >= MOST_COMPARED)
