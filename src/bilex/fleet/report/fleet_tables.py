"""The tables of the report: languages, lexicons, costs, failures."""

from __future__ import annotations

from bilex.benchmark.report.number_format import (
    decimal,
    mebibytes,
    percent,
    seconds,
    whole,
)
from bilex.benchmark.report.tables import Cell, Column, Row, Table, number, word
from bilex.fleet.folder import STAGES
from bilex.fleet.report.records import FleetRecords, LanguageRecord, LexiconRecord
from bilex.fleet.report.weakness import reasons

MOST_LEXICONS = 400
"""Rows of the table of lexicons: the weakest."""


def languages_table(records: FleetRecords) -> Table:
    """Return a row for each language, the weakest first."""
    columns = (
        Column("language", "Language", numeric=False),
        Column("reasons", "What may limit it", numeric=False),
        Column("aligned", "Aligned to", numeric=False),
        Column("words", "Words"),
        Column("dim", "Dimensions"),
        Column("seeds", "Usable seeds"),
        Column("held_out", "Held-out", note="% of seeds right"),
        Column("quality", _quality(records), note="percent, mean"),
        Column("cycle", "Cycle error", note="percent, mean"),
    )
    found = records.qualities
    ordered = sorted(records.languages, key=lambda each: found.get(each.code, 0.0))
    rows = tuple(Row(tuple(_language_cells(records, each))) for each in ordered)
    return Table("languages", "Languages, the weakest first", "", columns, rows)


def _language_cells(records: FleetRecords, language: LanguageRecord) -> list[Cell]:
    prepared, held_out = language.prepared or {}, language.held_out
    quality = records.qualities.get(language.code)
    cycle = records.cycle_error(language.code)
    precision = None if held_out is None else held_out["p_at_1"]
    return [
        word(language.code),
        word("; ".join(reasons(records, language)) or "nothing found"),
        word(language.parent or "is the hub"),
        number(prepared.get("words"), whole(prepared.get("words"))),
        number(prepared.get("dim"), whole(prepared.get("dim"))),
        number(language.usable_seeds, whole(language.usable_seeds)),
        number(precision, percent(precision)),
        number(quality, percent(quality)),
        number(cycle, percent(cycle)),
    ]


def lexicons_table(records: FleetRecords) -> Table:
    """Return a row for each direction, the weakest first, at most `MOST_LEXICONS`."""
    columns = (
        Column("source", "From", numeric=False),
        Column("target", "To", numeric=False),
        Column("words", "Words"),
        Column("entries", "Entries"),
        Column("precision", "Expected precision", note="percent"),
        Column("p_at_1", "Expected P@1", note="percent"),
        *(Column(f"at_{name}", f"Entries at {name} %") for name in ("95", "90", "80")),
        Column("mutual", "Mutual", note="percent"),
        Column("cycle", "Cycle error", note="percent"),
        Column("calibrated", "Probabilities from", numeric=False),
    )
    ordered = sorted(records.lexicons, key=lambda each: (each.quality, each.source, each.target))
    shown = ordered[:MOST_LEXICONS]
    rows = tuple(Row(tuple(_lexicon_cells(each))) for each in shown)
    more = f", the {MOST_LEXICONS} weakest" if len(ordered) > len(shown) else ", the weakest first"
    return Table("lexicons", f"Lexicons{more}", "", columns, rows, headings=2)


def _lexicon_cells(found: LexiconRecord) -> list[Cell]:
    carried = " (carried over)" if found.carried_over else ""
    return [
        word(found.source),
        word(found.target),
        number(found.words, whole(found.words)),
        number(found.entries, whole(found.entries)),
        number(found.expected_precision, percent(found.expected_precision)),
        number(found.expected_p_at_1, percent(found.expected_p_at_1)),
        *(
            number(found.entries_at.get(name), whole(found.entries_at.get(name)))
            for name in ("95", "90", "80")
        ),
        number(found.mutual, percent(found.mutual)),
        number(found.cycle_error, percent(found.cycle_error)),
        word(None if found.calibrated_on is None else f"{found.calibrated_on}{carried}"),
    ]


def cost_table(records: FleetRecords) -> Table:
    """Return what each stage took."""
    columns = (
        Column("stage", "Stage", numeric=False),
        Column("jobs", "Jobs done"),
        Column("hours", "Hours of one core"),
        Column("mean", "Seconds of a job", note="mean, of one core"),
        Column("longest", "Longest job", note="seconds, elapsed"),
        Column("memory", "Largest job", note="MiB"),
    )
    rows = []
    for stage in STAGES:
        results = records.done[stage]
        processor = [float(found["processor"]) for found in results]
        elapsed = max((float(found["seconds"]) for found in results), default=None)
        memory = max((found["peak_memory"] or 0 for found in results), default=0) or None
        average = sum(processor) / len(processor) if processor else None
        hours = sum(processor) / 3600
        cells = (
            word(stage),
            number(len(results), f"{len(results):,} of {records.totals[stage]:,}"),
            number(hours, decimal(hours)),
            number(average, seconds(average)),
            number(elapsed, seconds(elapsed)),
            number(memory, mebibytes(memory)),
        )
        rows.append(Row(cells))
    return Table("cost", "What each stage took", "", columns, tuple(rows))


def failures_table(records: FleetRecords) -> Table:
    """Return the jobs that failed."""
    columns = (
        Column("job", "Job", numeric=False),
        Column("error", "Error", numeric=False),
        Column("message", "Message", numeric=False),
    )
    rows = [
        Row((word(each["name"]), word(each["error"]["type"]), word(each["error"]["message"])))
        for each in records.failed
    ]
    return Table("failures", "Jobs that failed", "", columns, tuple(rows))


def _quality(records: FleetRecords) -> str:
    return "Expected P@1" if records.has_probabilities else "Mutual"
