"""The report of a space that was read from a file, which is never None."""

from __future__ import annotations

from bilex.values import EmbeddingSpace, LoadReport


def report_of(space: EmbeddingSpace) -> LoadReport:
    """Return the report of a loaded space."""
    assert space.report is not None
    return space.report
