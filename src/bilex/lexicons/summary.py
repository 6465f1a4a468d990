"""One line on a file of word pairs: what was read, what is used, and what was left out."""

from __future__ import annotations

from bilex.lexicons.left_out import describe_left_out
from bilex.values import LexiconReport

_FORMATS = {
    "tsv": "TSV",
    "gatitos": "TSV",
    "csv": "CSV",
    "muse": "MUSE",
    "jsonl": "JSON Lines",
    "tbx": "TBX",
    "tei": "TEI",
    "stardict": "StarDict",
    "parquet": "Parquet",
    "xlsx": "Excel",
    "xls": "Excel 97",
    "ods": "OpenDocument",
}


def summarize(name: str, report: LexiconReport, *, list_at: str = "") -> str:
    """Return one line on what was read from a file.

    Args:
        name: The name of the file.
        report: The report of the lexicon.
        list_at: Where the list of all rows that were left out is, if there is one.
    """
    facts = [f"{report.rows:,} {_plural(report.rows, 'row')} read", _pairs(report)]
    if report.split_cells:
        several = _plural(report.split_cells, "cell")
        facts.append(f"{report.split_cells:,} {several} with several translations split")
    if report.listed:
        several = _plural(report.listed, "translation")
        facts.append(f"{report.listed:,} {several} with a comma or semicolon not split")
    if report.reviewed:
        facts.append(f"{report.reviewed:,} marked right by a reviewer")
    if report.decimal_commas:
        facts.append(f"{report.decimal_commas:,} weights with a decimal comma")
    left_out = ""
    if report.left_out:
        where = f"; list: {list_at}" if list_at else ""
        left_out = f"; left out: {describe_left_out(report.left_out)}{where}"
    notes = "".join(f"; {note}" for note in report.notes)
    return f"{name} ({_described(report)}): {', '.join(facts)}{notes}{left_out}"


def _described(report: LexiconReport) -> str:
    parts = [_FORMATS.get(report.format, report.format)]
    if report.encoding != "UTF-8":
        parts.append(report.encoding)
    if report.sheet:
        parts.append(f"sheet {report.sheet}")
    if report.source_column:
        names = [report.source_column, *report.target_columns]
        source, *targets = (name.removeprefix("column ") for name in names)
        parts.append(f"columns {source} → {', '.join(targets)}")
    return ", ".join(parts)


def _pairs(report: LexiconReport) -> str:
    repeated = f" ({report.duplicates:,} repeated)" if report.duplicates else ""
    return f"{report.entries:,} {_plural(report.entries, 'pair')}{repeated}"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
