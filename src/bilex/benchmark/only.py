"""Choosing some of the jobs of a suite: `method=procrustes,pair=en-fr,seeds=1000`."""

from __future__ import annotations

from collections.abc import Sequence

from bilex.benchmark.jobs import Job
from bilex.errors import SettingError
from bilex.registry import did_you_mean

FIELDS = ("method", "pair", "source", "target", "seeds", "draw", "lexicon")


def choose(jobs: Sequence[Job], wishes: Sequence[str]) -> list[Job]:
    """Return the jobs that meet all wishes; several values for one field mean any of them.

    Raises:
        SettingError: If a wish cannot be understood, or no job could ever meet it.
    """
    wanted: dict[str, set[str]] = {}
    for wish in (part for text in wishes for part in text.split(",")):
        field, equals, value = (part.strip() for part in wish.partition("="))
        if not equals or field not in FIELDS:
            raise SettingError(
                f"cannot understand {wish!r}{did_you_mean(field, FIELDS)}: expected FIELD=VALUE, "
                f"where FIELD is one of {', '.join(FIELDS)}"
            )
        there = sorted({name for job in jobs for name in _values(job, field)})
        if value not in there:
            raise SettingError(
                f"no job of the suite has {field} = {value!r}{did_you_mean(value, there)}; "
                f"there are: {', '.join(there)}"
            )
        wanted.setdefault(field, set()).add(value)
    return [
        job for job in jobs if all(values & _values(job, field) for field, values in wanted.items())
    ]


def _values(job: Job, field: str) -> set[str]:
    """Return what a field of a job may be called; a pair also without its lexicon."""
    names = {str(job.identity[field])}
    return names | {f"{job.source}-{job.target}"} if field == "pair" else names
