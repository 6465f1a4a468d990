"""Which decisions a second reviewer should look at: those that contradict the model most."""

from __future__ import annotations

import math

from bilex.review.events import Event

UNKNOWN = 0.5
"""The doubt about a decision on candidates without probabilities."""


def doubt(decision: Event) -> float:
    """Return the probability that a decision is wrong, if the probabilities that were shown hold.

    An accepted candidate is wrong with probability 1 − p. To reject all candidates, or to give
    another translation only, is wrong if any of them is right. Where several were accepted, the
    most probable one counts: the others are additions.

    The result is from 0 to 1, and the same number on every machine, since databases keep it.
    """
    if any(each.probability is None for each in decision.shown):
        return UNKNOWN
    known = {each.target: min(1.0, max(0.0, each.probability or 0.0)) for each in decision.shown}
    accepted = [known[target] for target in decision.targets if target in known]
    if accepted:
        return 1 - max(accepted)
    return min(1.0, math.fsum(known.values()))
