"""Tables of text: TSV, CSV, and the tab-separated pairs of GATITOS and XLING.

A dictionary is written with a header line and all fields; a lexicon with its weights and
provenances, if there are any. Reading accepts columns in any order, with other columns between.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from bilex.errors import DictionaryFileError
from bilex.lexicons.columns import is_header
from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.encodings import name_of
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import COLUMNS, texts_of
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.table_rows import ReadTable, Table, TableRow
from bilex.lexicons.formats.text_lines import (
    FIRST_LINES,
    is_blank,
    numbered_lines,
    text_encoding,
)
from bilex.lexicons.formats.text_rows import refuse_vectors
from bilex.values import Entry

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
    quoting = csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for cells in rows:
        # Without quotes, the row would be read as a comment.
        (quoting if cells[0].startswith("#") else writer).writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _pair_rows(pairs: Sequence[Entry]) -> Iterator[list[str]]:
    """Yield the cells of each pair, after a header unless it is clear without one."""
    columns = pair_columns(pairs)
    if len(columns) > 2 or not pairs or not _is_clear_without_header(pairs):
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


_SEPARATORS = frozenset(";；|｜,、،，/")
"""If a word contains one of these, a header is needed to read the pairs back correctly."""


def _is_clear_without_header(pairs: Sequence[Entry]) -> bool:
    """Return whether pairs without a header are read back unchanged."""
    first = pairs[0].source
    return (
        first[0].isalnum()
        and first.isalnum()
        and not is_header(pairs[0][:2])
        and not any(_SEPARATORS & set(word) for pair in pairs for word in pair[:2])
    )


def _read_tsv(path: Path) -> Table:
    encoding = text_encoding(path)
    rows = _table_rows(path, encoding, lambda lines: _cut_at_tabs)
    return Table(rows, encoding=name_of(encoding), ragged=True)


def _read_gatitos(path: Path) -> Table:
    return replace(_read_tsv(path), one_word=True)


def fixed_table(separator: str, *, has_header: bool = False) -> ReadTable:
    """Return a reader of files whose format says what their columns are, so nothing is guessed.

    The first column is the source and the second the target, whatever a header calls them; each
    cell is one word. Further columns of a file with a header are reported and not read.
    """

    def read(path: Path) -> Table:
        encoding = text_encoding(path)
        cut = _cut_at_tabs if separator == "\t" else _cut_at(separator)
        rows = _table_rows(path, encoding, lambda lines: cut)
        return Table(_named(rows, has_header), encoding=name_of(encoding), one_word=True)

    return read


def _named(rows: Iterator[TableRow], has_header: bool) -> Iterator[TableRow]:
    """Put a header before the rows, or in the place of theirs."""
    names = ["source", "target"]
    first = next(rows, None) if has_header else None
    others = [f"other {name}" for name in first.cells[2:]] if first is not None else []
    yield TableRow(first.line if first is not None else 0, [*names, *others])
    yield from rows


def _read_csv(path: Path) -> Table:
    encoding = text_encoding(path)
    rows = _table_rows(path, encoding, lambda lines: _cut_csv(_best_separator(lines)[0]))
    return Table(rows, encoding=name_of(encoding))


def _table_rows(
    path: Path, encoding: str, find_cut: Callable[[Sequence[str]], Cut]
) -> Iterator[TableRow]:
    """Yield the cells of each line; the first lines decide how to cut."""
    with closing(numbered_lines(path, encoding)) as lines:
        first = list(islice(lines, FIRST_LINES))
        filled = [line for line in first if not is_blank(line)]
        texts = [line.text for line in filled]
        try:
            refuse_vectors(texts)
        except RowProblem as problem:
            raise DictionaryFileError(path, str(problem), line=filled[0].number) from None
        cut = find_cut(texts) if texts else _cut_at_tabs
        for line in chain(first, lines):
            try:
                yield TableRow(line.number, cut(line.text))
            except RowProblem as problem:
                raise DictionaryFileError(path, str(problem), line=line.number) from None


def _cut_at_tabs(line: str) -> list[str]:
    return line.split("\t")  # quotes have no meaning in TSV


def _cut_csv(separator: str) -> Cut:
    """Return a function that cuts CSV lines, and leaves comments whole."""
    cut = _cut_at(separator)
    return lambda line: [line] if _is_comment(line) or not line else cut(line)


def _is_comment(line: str) -> bool:
    """Return whether a line of a CSV file is a comment; it may contain separators."""
    return line.lstrip(" ").startswith("# ")


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
    """Return the separator that cuts most lines into equally many cells, and their share.

    If two do, a separator that is always followed by a space is part of the words.
    """
    rows = [line for line in lines if not _is_comment(line)] or lines
    shares = {separator: _share_cut_alike(rows, _cut_at(separator)) for separator in ",;"}
    within_words = all(", " in line for line in rows)
    best = max(
        shares, key=lambda separator: (shares[separator], within_words and separator == ";")
    )  # else a comma wins a tie
    return best, shares[best]


def _share_cut_alike(lines: Sequence[str], cut: Cut) -> float:
    rows = list(_cut_all(lines, cut))
    if len(rows[0]) >= 2 and is_header(rows[0]):
        return 2.0  # a header decides
    widths = [len(cells) for cells in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return widths.count(usual) / len(widths) if usual >= 2 else 0.0


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
    table=_read_tsv,
    sniff=_sniff_tsv,
    compressible=True,
    keeps_rejected=True,
)

CSV = Format(
    name="csv",
    extensions=(".csv",),
    summary="Comma-separated columns with a header line, for spreadsheets and scripts.",
    render=_render_csv,
    render_pairs=_render_csv_pairs,
    table=_read_csv,
    sniff=_sniff_csv,
    compressible=True,
    keeps_rejected=True,
)

GATITOS = Format(
    name="gatitos",
    extensions=(".gatitos.tsv",),
    summary="Word pairs with a tab between them, for machine translation pipelines.",
    keeps=("source", "target"),
    render=_render_gatitos,
    table=_read_gatitos,
    compressible=True,
)
