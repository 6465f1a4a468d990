"""Progress of work in stages, from the share of the time that each stage takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class WorkProgress:
    """How far a piece of work is.

    Attributes:
        stage: What is being done, for the user.
        share: Share of the work that is done, from 0 to 1.
        until: The share at the next report, so that a bar can move in between.
    """

    stage: str
    share: float
    until: float


OnProgress = Callable[[WorkProgress], None]
"""Called when a stage begins, and repeatedly during it."""


class Stages:
    """Converts steps of stages to shares of the whole work.

    Args:
        weights: About how long each stage takes, in any unit, by its name and in order.
        report_to: Receives the progress; None for no reports.
    """

    def __init__(self, weights: Sequence[tuple[str, float]], report_to: OnProgress | None) -> None:
        self._weights, self._report_to = list(weights), report_to
        self._total = sum(weight for _, weight in weights)

    def begin(self, stage: str, steps: int = 1) -> None:
        """Report that a stage of `steps` steps begins; the stages before it are done."""
        self.done(stage, 0, steps)

    def done(self, stage: str, done: int, steps: int) -> None:
        """Report that `done` of the `steps` of a stage are done."""
        steps = max(steps, 1)
        share, until = (min(step, steps) / steps for step in (done, done + 1))
        self.part(stage, WorkProgress(stage, share, until))

    def part(self, stage: str, inner: WorkProgress) -> None:
        """Report the progress of work that is itself one stage of this work."""
        if self._report_to is None:
            return
        number = [name for name, _ in self._weights].index(stage)
        before = sum(weight for _, weight in self._weights[:number])
        share, until = (
            min((before + self._weights[number][1] * each) / self._total, 1.0)
            for each in (inner.share, inner.until)
        )
        self._report_to(WorkProgress(inner.stage, share, until))

    def within(self, stage: str) -> Callable[[int, int], None]:
        """Return a callback for a stage that takes the number of finished steps and the total."""
        return lambda done, total: self.done(stage, done, total)
