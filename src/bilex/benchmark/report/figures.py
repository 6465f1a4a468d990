"""The figures of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from bilex.benchmark.report.comparisons import Comparisons
from bilex.benchmark.report.drawing import Panel, Picture
from bilex.benchmark.report.measures import FREQUENCY, SPELLING, Banding, bands
from bilex.benchmark.report.number_format import counted
from bilex.benchmark.report.palette import Look
from bilex.benchmark.report.panels import (
    Bar,
    Curve,
    Difference,
    TimePoint,
    draw_bands,
    draw_bars,
    draw_curves,
    draw_differences,
    draw_times,
)
from bilex.benchmark.report.records import Direction
from bilex.benchmark.report.study import Measure, Study


def pictures(study: Study, comparisons: Comparisons, looks: Mapping[str, Look]) -> list[Picture]:
    """Return all figures that have data."""
    found = [
        _learning_curves(study, looks),
        _bars(study, comparisons, looks),
        _against_time(study, looks),
        _by_frequency(study, looks),
        _by_spelling(study, looks),
        _hubness(study, looks),
        _differences(study, comparisons, looks),
    ]
    return [picture for picture in found if picture.panels]


def _learning_curves(study: Study, looks: Mapping[str, Look]) -> Picture:
    panels = []
    everywhere = study.directions_everywhere()
    if len(study.sizes) > 1 and len(everywhere) > 1:
        curves = _curves(study, everywhere, study.p_at_1, looks)
        title = f"Mean of {counted(len(everywhere), 'pair')}"
        panels.append(Panel(title, partial(draw_curves, curves, "P@1, %", 100.0)))
    for direction in study.directions:
        curves = _curves(study, [direction], study.p_at_1, looks)
        if len({size for curve in curves for size in curve.points}) > 1:
            draw = partial(draw_curves, curves, "P@1, %", 100.0)
            panels.append(Panel(direction.label, draw, direction))
    note = (
        "Precision at 1 by number of seed pairs. Lines are means over draws of the seeds; bands "
        "reach from the lowest to the highest draw."
    )
    return Picture("learning-curves", "Learning curves", note, tuple(panels))


def _bars(study: Study, comparisons: Comparisons, looks: Mapping[str, Look]) -> Picture:
    panels = []
    for size in study.sizes:
        directions = study.common_directions(size)
        spreads = {m: study.overall(directions, size, m, study.p_at_1) for m in study.methods}
        bars = [
            Bar(method, looks[method], spread.mean, comparisons.intervals.get((size, method)))
            for method, spread in spreads.items()
            if spread is not None
        ]
        if bars:
            bars.sort(key=lambda bar: bar.value)
            height = 0.9 + 0.36 * len(bars)
            title = f"{counted(size, 'seed pair')}, {_of(directions)}"
            panels.append(Panel(title, partial(draw_bars, bars), size=size, height=height))
    note = (
        "Precision at 1, mean over language pairs. Lines are 95 % bootstrap intervals over test "
        "words. Methods with overlapping intervals can still differ significantly, because they "
        "are tested on the same words: see the comparisons."
    )
    return Picture("methods", "Precision of all methods", note, tuple(panels), legend=False)


def _against_time(study: Study, looks: Mapping[str, Look]) -> Picture:
    panels = []
    for size in study.sizes:
        directions = study.common_directions(size)
        points = []
        for method in study.methods:
            each = [_time_and_score(study, [d], size, method) for d in directions]
            mean = _time_and_score(study, directions, size, method)
            if mean is not None:
                known = [point for point in each if point is not None]
                points.append(TimePoint(looks[method], mean, known))
        if points:
            title = f"{counted(size, 'seed pair')}, {_of(directions)}"
            panels.append(Panel(title, partial(draw_times, points), size=size))
    note = (
        "Precision at 1 against the processor time of a job (sum over all threads), both as means "
        "over language pairs. Lines reach from the lowest to the highest pair. Up and to the left "
        "is better."
    )
    return Picture("time", "Accuracy against time", note, tuple(panels))


def _by_frequency(study: Study, looks: Mapping[str, Look]) -> Picture:
    note = (
        "Precision at 1 by frequency rank of the source word, over the test words of all language "
        "pairs. Below each band: its number of words."
    )
    panels = _by_band(study, looks, FREQUENCY, "frequency rank, number of words")
    return Picture("frequency", "Frequent and rare words", note, panels)


def _by_spelling(study: Study, looks: Mapping[str, Look]) -> Picture:
    note = (
        "Precision at 1 by spelling similarity of the source word and its most similar gold "
        "translation, without accents and in Latin letters: dissimilar words on the left, "
        "look-alikes on the right. Over the test words of all language pairs. Below each band: "
        "its number of words."
    )
    panels = _by_band(study, looks, SPELLING, "spelling similarity, number of words")
    return Picture("spelling", "Look-alikes and dissimilar words", note, panels)


def _by_band(
    study: Study, looks: Mapping[str, Look], banding: Banding, label: str
) -> tuple[Panel, ...]:
    panels = []
    for size in study.sizes:
        directions = study.common_directions(size)
        found = {m: bands(study, directions, size, m, banding) for m in study.methods}
        lines = [
            (looks[method], {band.label: band for band in each})
            for method, each in found.items()
            if each
        ]
        if lines:
            counts = {
                name: max(each[name].words for _, each in lines if name in each)
                for name in banding.labels
                if any(name in each for _, each in lines)
            }
            shares = [(look, {k: band.p_at_1 for k, band in each.items()}) for look, each in lines]
            title = f"{counted(size, 'seed pair')}, {_of(directions)}"
            panels.append(Panel(title, partial(draw_bands, shares, counts, label), size=size))
    return tuple(panels)


def _hubness(study: Study, looks: Mapping[str, Look]) -> Picture:
    measures: list[tuple[str, str, float, Measure]] = [
        ("Skewness", "skewness", 1.0, lambda record: record.skewness),
        ("Words never reached", "share, %", 100.0, lambda record: record.share_unreached),
    ]
    panels = []
    directions = study.directions_everywhere() or study.directions[:1]
    for title, label, scale, measure in measures:
        curves = _curves(study, directions, measure, looks)
        if curves:
            draw = partial(draw_curves, curves, label, scale)
            panels.append(Panel(f"{title}, {_of(directions)}", draw))
    note = (
        "How unevenly target words occur as nearest neighbors, by number of seed pairs. Lower is "
        "better, because hubs displace correct answers."
    )
    return Picture("hubness", "Hubness", note, tuple(panels))


def _differences(study: Study, comparisons: Comparisons, looks: Mapping[str, Look]) -> Picture:
    panels = []
    for size in study.sizes:
        found = [c if c.difference >= 0 else c.reversed for c in comparisons.together]
        differences = [
            Difference(
                f"{c.first} vs {c.second}", looks[c.first], c.difference, c.interval, c.significant
            )
            for c in sorted(found, key=lambda c: c.difference)
            if c.size == size
        ]
        if differences:
            draw = partial(draw_differences, differences)
            title = f"{counted(size, 'seed pair')}, {_of(study.common_directions(size))}"
            height = 0.9 + 0.27 * len(differences)
            panels.append(Panel(title, draw, size=size, height=height))
    note = (
        "Mean difference in P@1 over language pairs, better method first, with its 95 % interval. "
        "Filled marks are significant after correction, hollow marks are not."
    )
    return Picture("differences", "Differences", note, tuple(panels), legend=False)


def _of(directions: Sequence[Direction]) -> str:
    if len(directions) == 1:
        return directions[0].label
    return f"{len(directions)} pairs"


def _curves(
    study: Study, directions: Sequence[Direction], measure: Measure, looks: Mapping[str, Look]
) -> list[Curve]:
    curves = []
    for method in study.methods:
        found = {size: study.overall(directions, size, method, measure) for size in study.sizes}
        points = {size: spread for size, spread in found.items() if spread is not None}
        if points:
            curves.append(Curve(looks[method], points))
    return curves


def _time_and_score(
    study: Study, directions: Sequence[Direction], size: int, method: str
) -> tuple[float, float] | None:
    time = study.overall(directions, size, method, lambda record: record.processor_seconds)
    found = study.overall(directions, size, method, study.p_at_1)
    if time is None or found is None or time.mean <= 0:
        return None
    return time.mean, 100 * found.mean
