"""Tables of text: TSV, CSV, and the tab-separated pairs of GATITOS and XLING.

A dictionary is written with a header line and all fields; a lexicon with its weights and
provenances, if there are any. Reading accepts columns in any order, with other columns between.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem, is_number, make_pairs, parse_weight
from bilex.lexicons.formats.entry_rules import COLUMNS, DETAILS, entry_of, texts_of
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.text_rows import Layout
from bilex.values import Entry

COLUMN_NAMES = {
    **dict.fromkeys(("source", "src"), "source"),
    **dict.fromkeys(("target", "tgt", "trg", "translation"), "target"),
    "weight": "weight",
    "provenance": "provenance",
}
"""The names of the columns of a lexicon in a header line, in any case."""

Cut = Callable[[str], list[str]]
"""Cuts a line into cells."""


def _render_tsv(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    """Yield a header line and a line of tab-separated fields for each entry."""
    yield "\t".join(COLUMNS) + "\n"
    for entry in entries:
        yield "\t".join(texts_of(entry)) + "\n"


def _render_csv(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    return _csv_lines(chain([COLUMNS], map(texts_of, entries)))


def _render_gatitos(
    entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata
) -> Iterator[str]:
    for entry in entries:
        yield f"{entry.source}\t{entry.target}\n"


def _render_tsv_pairs(pairs: Sequence[Entry]) -> Iterator[str]:
    return ("\t".join(row) + "\n" for row in _pair_rows(pairs))


def _render_csv_pairs(pairs: Sequence[Entry]) -> Iterator[str]:
    return _csv_lines(_pair_rows(pairs))


def _csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for cells in rows:
        writer.writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _pair_rows(pairs: Sequence[Entry]) -> Iterator[list[str]]:
    """Yield the cells of each pair, after a header unless it is clear without one."""
    columns = pair_columns(pairs)
    if len(columns) > 2 or not pairs or not _is_clearly_a_word(pairs[0].source):
        yield columns
    for pair in pairs:
        yield [str(value) for name, value in pair._asdict().items() if name in columns]


def pair_columns(pairs: Sequence[Entry]) -> list[str]:
    """Return the columns that hold something: weights other than 1, provenances not empty."""
    columns = ["source", "target"]
    if any(pair.weight != 1 for pair in pairs):
        columns.append("weight")
    if any(pair.provenance for pair in pairs):
        columns.append("provenance")
    return columns


def _is_clearly_a_word(first: str) -> bool:
    """Return whether the start of a file cannot be a header, a byte-order mark or markup."""
    return first[0].isalnum() and first.isalnum() and first.lower() not in COLUMN_NAMES


@dataclass(frozen=True, slots=True)
class _Table:
    """Which column of a table is what."""

    cut: Cut
    names: tuple[str, ...]
    pair_names: tuple[str, ...]  # the same in a lexicon, where an origin is a provenance
    has_header: bool = True
    ragged: bool = False  # a row may have more or fewer target cells than `names` says

    def pairs(self, line: str) -> list[Entry]:
        """Return one word pair for each target cell that is not empty."""
        cells = self.cut(line)
        names = self.pair_names
        if len(cells) < 2:
            raise RowProblem(
                f"found one column ({_shown(cells)}), expected a source and a target word"
            )
        if self.ragged:
            names = ("source", *["target"] * (len(cells) - 1))
        if len(cells) != len(names):
            expected = "the header" if self.has_header else "the first row"
            raise RowProblem(
                f"found {len(cells)} columns, {expected} has {len(names)}: a word that holds "
                "the separator must be in double quotes in a CSV file; a tab separates columns "
                "everywhere else"
            )
        if names == ("source", "target"):  # most files, and much faster
            return make_pairs(cells[0], cells[1:])
        parts: dict[str, list[str]] = {"source": [], "target": [], "weight": [], "provenance": []}
        for name, cell in zip(names, cells, strict=True):
            parts.setdefault(name, []).append(cell)
        filled = [cell for cell in parts["target"] if cell.strip(" ")]
        return make_pairs(
            parts["source"][0],
            filled or [""],
            weight=parse_weight("".join(parts["weight"])),
            provenance="".join(parts["provenance"]),
        )

    def entry(self, line: str) -> DictionaryEntry:
        """Return the dictionary entry of one row."""
        cells = self.cut(line)
        if len(cells) != len(self.names):
            raise RowProblem(f"found {len(cells)} columns, the header has {len(self.names)}")
        row = {name: cell.strip(" ") for name, cell in zip(self.names, cells, strict=True)}
        return entry_of(row["source"], row["target"], row)


def _tsv_layout(lines: Sequence[str]) -> Layout:
    return _layout(lines, _cut_at_tabs, ragged=True)


def _csv_layout(lines: Sequence[str]) -> Layout:
    separator, _ = _best_separator(lines)
    return _layout(lines, _cut_at(separator), ragged=False)


def _layout(lines: Sequence[str], cut: Cut, *, ragged: bool) -> Layout:
    rows = [cut(lines[0]), *(cells for cells in _cut_all(lines[1:], cut) if cells)]
    table = _find_columns(rows, cut, ragged=ragged)
    known = set(COLUMN_NAMES.values())
    return Layout(
        pairs=table.pairs,
        entry=None if set(DETAILS).isdisjoint(table.names) else table.entry,
        columns=table.names,
        ignored_columns=tuple(name for name in table.pair_names if name not in known),
        has_header=table.has_header,
    )


def _find_columns(rows: Sequence[list[str]], cut: Cut, *, ragged: bool) -> _Table:
    """Return the columns of a table, from its first rows.

    Args:
        rows: The cells of the first rows.
        cut: Cuts a line into cells.
        ragged: Whether rows without a header may differ in their number of translations.

    Raises:
        RowProblem: If the header names a column twice, or there are numbers in place of words.
    """
    names = _header_names(rows[0])
    if names is not None:
        pair_names = names
        if "provenance" not in names:
            pair_names = tuple("provenance" if name == "origin" else name for name in names)
        for name in ("source", "weight", "provenance"):
            count = pair_names.count(name)
            if count > 1:
                raise RowProblem(f"the header names {count} {name} columns, expected 1")
        return _Table(cut, names, pair_names)
    if _third_column_is_numeric(rows):
        raise RowProblem(
            f"the third column holds numbers ({rows[-1][2].strip(' ')!r}) where further "
            "translations are expected: if they are weights, add a first line that names the "
            "columns source, target and weight"
        )
    width = max(map(len, rows)) if ragged else len(rows[0])
    names = ("source", *["target"] * max(width - 1, 1))
    return _Table(cut, names, names, has_header=False, ragged=ragged)


def _header_names(cells: list[str]) -> tuple[str, ...] | None:
    """Return the names of the columns if the row is a header, else None."""
    given = [cell.strip(" ").lower() for cell in cells]
    names = tuple(COLUMN_NAMES.get(name, name) for name in given)
    return names if "source" in names and "target" in names else None


def _third_column_is_numeric(rows: Sequence[list[str]]) -> bool:
    return all(len(row) == 3 and is_number(row[2].strip(" ")) for row in rows[1:] or rows) and not (
        all(len(row) == 3 and is_number(row[1].strip(" ")) for row in rows)
    )


def _cut_at_tabs(line: str) -> list[str]:
    return line.split("\t")  # quotes have no meaning in TSV


def _cut_at(separator: str) -> Cut:
    """Return a function that cuts CSV lines; a cell in double quotes may hold the separator."""

    def cut(line: str) -> list[str]:
        try:
            [cells] = csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True)
        except (csv.Error, ValueError) as error:
            raise RowProblem(
                f"the row is not well-formed CSV ({error}): close each double quote on the line "
                "where it opens, and write a quote inside a quoted cell twice"
            ) from None
        return cells

    return cut


def _cut_all(lines: Sequence[str], cut: Cut) -> Iterator[list[str]]:
    """Yield the cells of each line; none if it cannot be cut, which reading reports later."""
    for line in lines:
        try:
            yield cut(line)
        except RowProblem:
            yield []


def _best_separator(lines: Sequence[str]) -> tuple[str, float]:
    """Return the separator that cuts most lines into equally many cells, and their share."""
    shares = {separator: _share_cut_alike(lines, _cut_at(separator)) for separator in ",;"}
    best = max(shares, key=lambda separator: shares[separator])  # a comma wins a tie
    return best, shares[best]


def _share_cut_alike(lines: Sequence[str], cut: Cut) -> float:
    rows = list(_cut_all(lines, cut))
    if len(rows[0]) >= 2 and _header_names(rows[0]) is not None:
        return 2.0  # a header is proof
    widths = [len(cells) for cells in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return widths.count(usual) / len(widths) if usual >= 2 else 0.0


def _shown(cells: list[str]) -> str:
    text = cells[0] if cells else ""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def mostly_tabs(start: FileStart) -> bool:
    """Return whether more than half of the first lines have a tab."""
    return 2 * sum("\t" in line for line in start.lines) > len(start.lines)


def _sniff_tsv(start: FileStart) -> float:
    return 0.8 if mostly_tabs(start) else 0.0


def _sniff_csv(start: FileStart) -> float:
    if not start.lines:
        return 0.0
    needed = 0.5 if start.suffix == ".csv" else 1.0
    return 0.7 if _best_separator(start.lines)[1] >= needed else 0.0


TSV = Format(
    name="tsv",
    extensions=(".tsv",),
    summary="Tab-separated columns with a header line, for spreadsheets and scripts.",
    render=_render_tsv,
    render_pairs=_render_tsv_pairs,
    layout=_tsv_layout,
    sniff=_sniff_tsv,
    compressible=True,
)

CSV = Format(
    name="csv",
    extensions=(".csv",),
    summary="Comma-separated columns with a header line, for spreadsheets and scripts.",
    render=_render_csv,
    render_pairs=_render_csv_pairs,
    layout=_csv_layout,
    sniff=_sniff_csv,
    compressible=True,
)

GATITOS = Format(
    name="gatitos",
    extensions=(".gatitos.tsv",),
    summary="Word pairs with a tab between them, for machine translation pipelines.",
    keeps=("source", "target"),
    render=_render_gatitos,
    layout=_tsv_layout,
    compressible=True,
)
