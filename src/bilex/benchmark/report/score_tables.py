"""The tables of precision, as in papers."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from bilex.benchmark.report.comparisons import Comparisons
from bilex.benchmark.report.measures import coverage_text
from bilex.benchmark.report.number_format import counted, percent, size_label
from bilex.benchmark.report.records import Direction
from bilex.benchmark.report.study import Spread, Study
from bilex.benchmark.report.tables import MISSING, Cell, Column, Mark, Row, Table, stacked

COPY = "copy the word"
"""The name of the baseline that translates each word by itself."""

MARKS_NOTE = (
    "Bold: the best of its column. ≈: not significantly below the best "
    "(sign-flip test, Holm-corrected p ≥ 0.05)."
)


def precision_tables(study: Study, comparisons: Comparisons) -> list[Table]:
    """Return a table of methods by language pairs for each number of seeds."""
    return [_precision_table(study, comparisons, size) for size in study.sizes]


def precision_together(study: Study, comparisons: Comparisons) -> Table:
    """Return one table for all numbers of seeds."""
    note = f"P@1 in percent: mean ± standard deviation over draws of the seeds. {MARKS_NOTE}"
    tables = [
        _with_size(t, size)
        for t, size in zip(precision_tables(study, comparisons), study.sizes, strict=True)
    ]
    return stacked("p-at-1", "Precision at 1", note, tables, headings=2)


def marks(
    comparisons: Comparisons,
    size: int,
    direction: Direction | None,
    spreads: Mapping[str, Spread | None],
) -> dict[str, Mark]:
    """Return which methods are best in a column, and which are not significantly below them."""
    means = {method: found.mean for method, found in spreads.items() if found is not None}
    if len(means) < 2:
        return dict.fromkeys(spreads, "")
    best = max(means, key=lambda method: means[method])
    found: dict[str, Mark] = {}
    for method in spreads:
        comparison = comparisons.find(size, direction, best, method)
        if method in means and means[method] == means[best]:
            found[method] = "best"
        elif method in means and comparison is not None and not comparison.significant:
            found[method] = "tied"
        else:
            found[method] = ""
    return found


def _precision_table(study: Study, comparisons: Comparisons, size: int) -> Table:
    directions = study.directions_at(size)
    columns = [Column("method", "Method", numeric=False)]
    by_method: dict[str, list[Cell]] = {method: [] for method in study.methods}
    copies: list[Cell] = []
    baselines = [_copy_baseline(study, direction, size) for direction in directions]
    common = study.common_directions(size)
    if len(directions) > 1 and common:
        short = "" if len(common) == len(directions) else f" of {len(directions)}"
        columns.append(Column("all", "All pairs", note=f"mean of {len(common)}{short}"))
        spreads = {m: study.overall(common, size, m, study.p_at_1) for m in study.methods}
        _add(by_method, spreads, marks(comparisons, size, None, spreads))
        copies.append(_copied(_mean([_copy_baseline(study, d, size) for d in common])))
    for direction, baseline in zip(directions, baselines, strict=True):
        records = [r for m in study.methods for r in study.cell(direction, size, m)]
        columns.append(
            Column(
                direction.label, direction.label, note=coverage_text(records), direction=direction
            )
        )
        spreads = {m: study.spread(direction, size, m, study.p_at_1) for m in study.methods}
        _add(by_method, spreads, marks(comparisons, size, direction, spreads))
        copies.append(_copied(baseline))
    rows = [
        Row((Cell(method, method), *cells), size=size, method=method)
        for method, cells in by_method.items()
        if any(cell.value is not None for cell in cells)
    ]
    rows.append(Row((Cell(COPY, COPY), *copies), size=size))
    return Table(f"p-at-1-{size}", f"{counted(size, 'seed pair')}", "", tuple(columns), tuple(rows))


def _add(
    by_method: dict[str, list[Cell]],
    spreads: Mapping[str, Spread | None],
    found: Mapping[str, Mark],
) -> None:
    for method, spread in spreads.items():
        by_method[method].append(score_cell(spread, found[method]))


def score_cell(spread: Spread | None, mark: Mark = "") -> Cell:
    """Return a cell with mean and standard deviation in percent."""
    if spread is None:
        return MISSING
    sd = f"± {percent(spread.sd)}" if spread.sd is not None else ""
    return Cell(spread.mean, percent(spread.mean), sd, mark)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if values and len(known) == len(values) else None


def _copied(value: float | None) -> Cell:
    return MISSING if value is None else Cell(value, percent(value))


def _copy_baseline(study: Study, direction: Direction, size: int) -> float | None:
    values = [
        record.copy_baseline
        for method in study.methods
        for record in study.cell(direction, size, method)
        if record.copy_baseline is not None
    ]
    return statistics.fmean(values) if values else None


def _with_size(table: Table, size: int) -> Table:
    column = Column("seeds", "Seeds")
    rows = tuple(
        Row((Cell(size, size_label(size)), *row.cells), row.direction, row.size, row.method)
        for row in table.rows
    )
    return Table(table.name, table.title, table.note, (column, *table.columns), rows, 2)
