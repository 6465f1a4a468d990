"""The tables of pairwise comparisons of methods."""

from __future__ import annotations

from collections.abc import Iterable

from bilex.benchmark.report.comparisons import Comparison, Comparisons
from bilex.benchmark.report.number_format import p_text, points, size_label, whole
from bilex.benchmark.report.study import Study
from bilex.benchmark.report.tables import MISSING, Cell, Column, Row, Table, word


def together_table(comparisons: Comparisons) -> Table:
    """Return all comparisons over all language pairs together."""
    note = (
        "Difference in P@1, in percentage points, averaged over language pairs, on the words that "
        "both methods can answer. The better method is first. The interval is a 95 % bootstrap "
        "interval over test words, not corrected; p is two-sided, corrected over this table."
    )
    return _table("comparisons", "Over all language pairs", note, comparisons.together)


def apart_table(comparisons: Comparisons) -> Table:
    """Return all comparisons within a language pair."""
    note = (
        "Difference in P@1 within each language pair, in percentage points. The better method is "
        "first. p is corrected over this table."
    )
    return _table("comparisons-by-pair", "Within each language pair", note, comparisons.apart)


def wins_table(study: Study, comparisons: Comparisons) -> Table:
    """Return how often each method is significantly above or below each other method."""
    columns = (
        Column("method", "Method", numeric=False),
        Column("wins", "Wins"),
        Column("ties", "Ties"),
        Column("losses", "Losses"),
        *(Column(f"against_{method}", f"vs {method}", numeric=False) for method in study.methods),
    )
    rows = []
    for method in study.methods:
        each = [_record(comparisons.apart, method, other) for other in study.methods]
        sums = [sum(column) for column in zip(*each, strict=True)]
        cells = (
            word(method),
            *(Cell(total, whole(total)) for total in sums),
            *(
                Cell(w - lost, f"{w} / {t} / {lost}") if w + t + lost else MISSING
                for w, t, lost in each
            ),
        )
        rows.append(Row(cells, method=method))
    note = (
        "Over all language pairs and numbers of seeds. A win or a loss is a significant difference "
        "(corrected p < 0.05); anything else is a tie. The columns on the right show wins / ties / "
        "losses against each other method."
    )
    return Table("wins", "Wins, ties and losses", note, columns, tuple(rows))


def _record(found: Iterable[Comparison], method: str, other: str) -> tuple[int, int, int]:
    wins = ties = losses = 0
    for comparison in found:
        if {comparison.first, comparison.second} != {method, other} or method == other:
            continue
        above = (comparison.difference > 0) == (comparison.first == method)
        ties += not comparison.significant
        wins += comparison.significant and above
        losses += comparison.significant and not above
    return wins, ties, losses


def _table(name: str, title: str, note: str, found: Iterable[Comparison]) -> Table:
    columns = (
        Column("pair", "Pair", numeric=False),
        Column("seeds", "Seeds"),
        Column("first", "Method", numeric=False),
        Column("second", "against", numeric=False),
        Column("difference", "Difference"),
        Column("interval_low", "95 % from"),
        Column("interval_high", "to"),
        Column("p_value", "p"),
        Column("corrected", "p, corrected"),
        Column("verdict", "Significant", numeric=False),
        Column("words", "Words"),
    )
    rows = tuple(_row(c if c.difference >= 0 else c.reversed) for c in found)
    if all(row.direction is None for row in rows):
        columns = (Column("pair", "Pairs", numeric=False), *columns[1:])
    return Table(name, title, note, columns, rows, 4)


def _row(found: Comparison) -> Row:
    low, high = found.interval
    cells = (
        Cell(found.directions, str(found.directions))
        if found.direction is None
        else word(found.direction.label),
        Cell(found.size, size_label(found.size)),
        word(found.first),
        word(found.second),
        Cell(found.difference, points(found.difference)),
        Cell(low, points(low)),
        Cell(high, points(high)),
        Cell(found.p_value, p_text(found.p_value)),
        Cell(found.corrected, p_text(found.corrected)),
        word("yes" if found.significant else "no"),
        Cell(found.words, whole(found.words)),
    )
    return Row(cells, found.direction, found.size)
