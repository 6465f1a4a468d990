"""Select some of the jobs of a suite: `method=procrustes,pair=en-fr,seeds=1000`."""

from __future__ import annotations

from collections.abc import Sequence

from bilex.benchmark.jobs import Job
from bilex.errors import SettingError
from bilex.registry import did_you_mean

FIELDS = ("method", "pair", "source", "target", "seeds", "draw", "lexicon")


def filter_jobs(jobs: Sequence[Job], conditions: Sequence[str]) -> list[Job]:
    """Return the jobs that match all conditions; with several values for a field, any may match.

    Raises:
        SettingError: If a condition cannot be parsed, or no job matches it.
    """
    wanted: dict[str, set[str]] = {}
    for condition in (part for text in conditions for part in text.split(",")):
        field, equals, value = (part.strip() for part in condition.partition("="))
        if not equals or field not in FIELDS:
            raise SettingError(
                f"cannot understand {condition!r}{did_you_mean(field, FIELDS)}: expected "
                f"FIELD=VALUE, where FIELD is one of {', '.join(FIELDS)}"
            )
        known = sorted({name for job in jobs for name in _values(job, field)})
        if value not in known:
            raise SettingError(
                f"no job of the suite has {field} = {value!r}{did_you_mean(value, known)}; "
                f"there are: {', '.join(known)}"
            )
        wanted.setdefault(field, set()).add(value)
    return [
        job for job in jobs if all(values & _values(job, field) for field, values in wanted.items())
    ]


def _values(job: Job, field: str) -> set[str]:
    """Return the accepted values of a field; a pair may also be given without its lexicon."""
    names = {str(job.identity[field])}
    return names | {f"{job.source}-{job.target}"} if field == "pair" else names
