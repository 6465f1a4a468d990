"""The summary of a report: significant differences, open questions and caveats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bilex.benchmark.report.comparisons import Comparison, Comparisons
from bilex.benchmark.report.measures import coverage
from bilex.benchmark.report.number_format import counted, listed, percent, points, whole
from bilex.benchmark.report.records import Direction, JobRecord
from bilex.benchmark.report.study import Study


class Name(str):
    """The name of a method inside a sentence."""

    __slots__ = ()


Sentence = tuple[str, ...]
"""The parts of a sentence: plain text and names."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The sentences of the summary: significant results, other results, and caveats."""

    significant: tuple[Sentence, ...]
    open: tuple[Sentence, ...]
    caveats: tuple[Sentence, ...]


def find(study: Study, comparisons: Comparisons) -> Findings:
    """Return sentences on the best method at each number of seeds."""
    significant: list[Sentence] = []
    undecided: list[Sentence] = []
    for size in study.sizes:
        leader, against = _leader(study, comparisons, size)
        if leader is None:
            continue
        start = f"With {counted(size, 'seed pair')}, "
        below = [c for c in against if c.significant and c.difference > 0]
        above = [c.reversed for c in against if c.significant and c.difference < 0]
        level = [c for c in against if not c.significant]
        if below:
            significant.append((start, *_best(study, size, leader), *_above(below)))
        significant += [(start, *_exception(leader, found)) for found in above]
        if level:
            undecided.append((start, *_level(leader, level, len(study.common_directions(size)))))
    if len(study.methods) < 2:
        undecided.append(("Only one method was run, so there is no comparison.",))
    significant += [(sentence,) for sentence in _within_pairs(study, comparisons)]
    caveats = tuple((sentence,) for sentence in _caveats(study))
    return Findings(tuple(significant), tuple(undecided), caveats)


def _leader(
    study: Study, comparisons: Comparisons, size: int
) -> tuple[str | None, list[Comparison]]:
    """Return the method with the highest mean, and its comparisons with all others."""
    common = study.common_directions(size)
    spreads = {m: study.overall(common, size, m, study.p_at_1) for m in study.methods}
    means = {method: spread.mean for method, spread in spreads.items() if spread is not None}
    if not means:
        return None, []
    leader = max(means, key=lambda method: means[method])
    found = [comparisons.find(size, None, leader, m) for m in study.methods if m != leader]
    return leader, [comparison for comparison in found if comparison is not None]


def _best(study: Study, size: int, leader: str) -> Iterator[str]:
    common = study.common_directions(size)
    spread = study.overall(common, size, leader, study.p_at_1)
    mean = percent(None if spread is None else spread.mean)
    yield Name(leader)
    yield f" has the highest P@1 ({mean}\u00a0% {_over(common)})"


def _over(directions: Sequence[Direction]) -> str:
    if len(directions) == 1:
        return f"on {directions[0].label}"
    return f"over {len(directions)} language pairs"


def _above(below: Sequence[Comparison]) -> Iterator[str]:
    yield " and is significantly above "
    for place, found in enumerate(below):
        yield from (_comma(place, len(below), "and"), Name(found.second))
        yield f" by {points(found.difference).removeprefix('+')}"
    yield " points."


def _exception(leader: str, found: Comparison) -> Iterator[str]:
    """Report a method that was not run on all language pairs and is better on those it has."""
    shared = counted(found.directions, "language pair")
    yield from (Name(found.first), " was not run on all language pairs, but on ")
    yield from (f"{shared} it is significantly above ", Name(leader))
    yield f" by {points(found.difference).removeprefix('+')} points."


def _level(leader: str, level: Sequence[Comparison], pairs: int) -> Iterator[str]:
    yield from (Name(leader), " has the highest P@1, but is not significantly above ")
    for place, found in enumerate(level):
        low, high = (points(end) for end in found.interval)
        yield from (_comma(place, len(level), "or"), Name(found.second))
        few = (
            f" on {counted(found.directions, 'language pair')}" if found.directions < pairs else ""
        )
        yield f" ({points(found.difference)} points{few}, 95\u00a0% interval {low} to {high})"
    yield "."


def _comma(place: int, count: int, last: str) -> str:
    if place == 0:
        return ""
    return f" {last} " if place == count - 1 else ", "


def _within_pairs(study: Study, comparisons: Comparisons) -> Iterator[str]:
    total = len(comparisons.apart)
    if total and (len(study.directions) > 1 or len(study.sizes) > 1):
        count = sum(found.significant for found in comparisons.apart)
        yield (
            f"Within single language pairs and numbers of seeds, {whole(count)} of "
            f"{counted(total, 'comparison')} of two methods are significant."
        )


def _caveats(study: Study) -> Iterator[str]:
    done = study.done
    shares = [share for share in map(coverage, done) if share is not None]
    if shares:
        low, high = percent(min(shares)), percent(max(shares))
        span = low if low == high else f"{low} to {high}"
        yield f"Scores count only test words covered by the vocabularies: {span}\u00a0% of them."
    copies = {r.direction: r.copy_baseline for r in done if r.copy_baseline is not None}
    if copies:
        top = max(copies, key=lambda direction: copies[direction])
        if copies[top] >= 0.05:
            yield (
                f"On {top.label}, copying the source word is correct for "
                f"{percent(copies[top])}\u00a0% of the words: see the scores without identical "
                "strings."
            )
    single = sum(len(records) == 1 for records in study.cells.values())
    if single:
        yield (
            f"{whole(single)} of {counted(len(study.cells), 'score')} have only one draw of the "
            "seeds, so their variation between draws is unknown."
        )
    external = sorted({record.method for record in done if record.external})
    if external:
        yield (
            f"{listed(external)}: vectors of other tools, scored by the same rules but not trained "
            "here. This report does not know their training data and settings."
        )
    mixed = [method for method in study.methods if _settings(study, method) > 1]
    if mixed:
        yield (
            f"{listed(mixed)}: the jobs have different settings, so their numbers cannot be "
            "compared; see the manifest."
        )
    made = {_version(record) for record in done} - {""}
    if len(made) > 1:
        yield (
            f"Results were made by bilex {listed(sorted(made))}: versions may differ in their "
            "scores. To compare methods, run all of them with one version, in a new folder."
        )
    if study.failures:
        verb = "is" if len(study.failures) == 1 else "are"
        yield f"{counted(len(study.failures), 'job')} failed and {verb} missing from the tables."
    if study.superseded:
        verb = "was" if study.superseded == 1 else "were"
        yield (
            f"{counted(study.superseded, 'older result')} of the same jobs with other settings "
            f"{verb} left out."
        )


def _settings(study: Study, method: str) -> int:
    """Count the different settings that a method was run with."""
    return len({repr(r.settings) for r in study.done if r.method == method and not r.external})


def _version(record: JobRecord) -> str:
    """Return the version of bilex that ran a job; an empty text if it is not known."""
    versions = record.manifest.get("versions")
    return str(versions.get("bilex", "")) if isinstance(versions, Mapping) else ""
