"""The provenance of the results, as a table: versions, hashes, settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from bilex.benchmark.report.number_format import counted, size_label
from bilex.benchmark.report.records import JobRecord
from bilex.benchmark.report.study import Study
from bilex.benchmark.report.tables import Column, Row, Table, word

_GROUPINGS: Sequence[Callable[[JobRecord], str]] = (
    lambda record: record.suite,
    lambda record: record.method,
    lambda record: record.direction.source,
    lambda record: record.direction.target,
    lambda record: record.direction.label,
    lambda record: size_label(record.seeds),
    lambda record: f"draw {record.draw}",
    lambda record: f"{record.method}, {record.direction.label}",
    lambda record: f"{record.method}, {size_label(record.seeds)}",
    lambda record: f"{record.direction.label}, {size_label(record.seeds)}",
    lambda record: f"{record.direction.label}, {size_label(record.seeds)}, draw {record.draw}",
)
"""The properties that a value may depend on, the simplest first."""

MOST_VALUES = 60
"""The largest number of values of an entry that are listed; more are only counted."""


def provenance_table(study: Study) -> Table:
    """Return every entry of the jobs' manifests and settings, and the jobs that have it."""
    found: dict[str, dict[str, list[JobRecord]]] = {}
    for record in study.done:
        for key, value in _entries(record):
            found.setdefault(key, {}).setdefault(value, []).append(record)
    rows = []
    for key, values in sorted(found.items()):
        cells = [(key, where, value) for where, value in _placed(values, study.done)]
        rows += [Row((word(key), word(where), word(value))) for key, where, value in cells]
    columns = (
        Column("entry", "Entry", numeric=False),
        Column("where", "For", numeric=False),
        Column("value", "Value", numeric=False),
    )
    return Table("manifest", "Versions, hashes and settings", "", columns, tuple(rows))


def versions(study: Study) -> str:
    """Write the versions of the software that made the results."""
    found: dict[str, set[str]] = {}
    for record in study.done:
        versions = record.manifest.get("versions")
        if isinstance(versions, Mapping):
            for name, version in versions.items():
                found.setdefault(str(name), set()).add(str(version))
    return ", ".join(f"{name} {' and '.join(sorted(each))}" for name, each in found.items())


def written(study: Study) -> str:
    """Write when the job files were written, in UTC."""
    times = [record.written for record in (*study.done, *study.failures)]
    first, last = (datetime.fromtimestamp(time, tz=UTC) for time in (min(times), max(times)))
    start, end = f"{first:%Y-%m-%d %H:%M}", f"{last:%Y-%m-%d %H:%M}"
    if start == end:
        return f"{start} UTC"
    if first.date() == last.date():
        return f"{start} to {last:%H:%M} UTC"
    return f"{start} to {end} UTC"


def scoring_rules(study: Study) -> list[str]:
    """Return the names of the scoring rules of the jobs."""
    return sorted({record.rules for record in study.done if record.rules})


def _entries(record: JobRecord) -> Iterator[tuple[str, str]]:
    yield "rules", record.rules
    yield from _flat(record.manifest, "manifest")
    yield from _flat(record.settings, "settings")
    if record.threads is not None:
        yield "threads", str(record.threads)


def _flat(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}")
    elif value != {}:
        yield path, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _placed(
    values: Mapping[str, Sequence[JobRecord]], all_records: Sequence[JobRecord]
) -> Iterator[tuple[str, str]]:
    """Describe which jobs have each value, by the simplest property that determines it."""
    if len(values) == 1:
        [(value, records)] = values.items()
        if len(records) == len(all_records):
            yield "all jobs", value
            return
    if len(values) > MOST_VALUES:
        yield "differs", f"{len(values)} values"
        return
    for grouping in _GROUPINGS:
        groups = {
            value: {grouping(record) for record in records} for value, records in values.items()
        }
        known = {record.key for records in values.values() for record in records}
        rest = {grouping(record) for record in all_records if record.key not in known}
        sets = [*groups.values(), rest]
        if sum(map(len, sets)) == len(set.union(*sets)):
            for value, names in groups.items():
                yield ", ".join(sorted(names)), value
            return
    for value, records in values.items():
        yield counted(len(records), "job"), value
