"""Which format a lexicon file is in, told by its first lines, and by its name when they tie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bilex.lexicons.entries import RowProblem, is_number, make_entries
from bilex.lexicons.json_rows import json_entries, json_object
from bilex.lexicons.lines import Line
from bilex.lexicons.table_rows import (
    Columns,
    Cut,
    cut_at,
    cut_at_tabs,
    find_columns,
    header_names,
)
from bilex.values import Entry

Format = Literal["tsv", "csv", "muse", "jsonl"]

NUMBERS_OF_A_VECTOR = 10
"""A row with at least this many numbers after its first word is a word vector, not a pair."""


@dataclass(frozen=True)
class Layout:
    """How to read the lines of one file."""

    format: Format
    columns: tuple[str, ...]
    parse: Callable[[str], list[Entry]]
    has_header: bool = False
    ignored_columns: tuple[str, ...] = ()


def find_layout(lines: Sequence[Line], suffix: str) -> Layout:
    """Tell how a file is laid out from its first lines that are not blank.

    JSON Lines start with an object; TSV has a tab in most lines; CSV a comma or semicolon in
    all of them (or in half, if it is called .csv); what is left is a MUSE file, two words and a
    space.

    Args:
        lines: At least one line.
        suffix: The ending of the file's name, such as ".tsv".

    Raises:
        RowProblem: If the lines are no lexicon at all.
    """
    texts = [line.text for line in lines]
    _refuse_vectors(texts)
    tabs = _share(texts, lambda text: "\t" in text)
    if _is_json(texts[0], suffix) and not (suffix == ".tsv" and tabs > 0.5):
        return Layout("jsonl", ("source", "target"), json_entries)
    if tabs > 0.5:
        return _table("tsv", texts, cut_at_tabs, ragged=True)
    separator = _csv_separator(texts, suffix)
    if separator is not None:
        return _table("csv", texts, cut_at(separator), ragged=False)
    if _share(texts, lambda text: " " in text.strip(" ")) > 0.5:
        return Layout("muse", ("source", "target"), _muse_entries)
    raise RowProblem(
        f"found one column ({texts[0][:40]!r}), expected a source and a target word on each line, "
        "separated by a tab"
    )


def _table(name: Format, texts: Sequence[str], cut: Cut, *, ragged: bool) -> Layout:
    rows = [cut(texts[0]), *(cells for cells in _cut_all(texts[1:], cut) if cells)]
    columns: Columns = find_columns(rows, ragged=ragged)
    return Layout(
        name,
        columns.names,
        lambda text: columns.entries(cut(text)),
        has_header=columns.has_header,
        ignored_columns=columns.ignored,
    )


def _muse_entries(line: str) -> list[Entry]:
    words = line.replace("\t", " ").split(" ")
    filled = [word for word in words if word]
    if len(filled) != 2:
        raise RowProblem(
            f"found {len(filled)} words separated by spaces, expected 2; terms of several words "
            "need a tab between source and target on every line"
        )
    return make_entries(filled[0], [filled[1]])


def _is_json(first: str, suffix: str) -> bool:
    if not first.lstrip(" ").startswith(("{", "[")):
        return False
    if suffix in {".jsonl", ".ndjson", ".json"} or first.strip(" ") in {"{", "["}:
        return True
    try:
        json_object(first)
    except RowProblem:
        return False
    return True


def _csv_separator(texts: Sequence[str], suffix: str) -> str | None:
    """Return the separator that cuts most rows alike, None if no separator does."""
    shares = {separator: _share_cut_alike(texts, cut_at(separator)) for separator in ",;"}
    best = max(shares, key=lambda separator: shares[separator])  # a comma wins a tie
    needed = 0.5 if suffix == ".csv" else 1.0
    return best if shares[best] >= needed else None


def _share_cut_alike(texts: Sequence[str], cut: Cut) -> float:
    widths = [len(cells) for cells in _cut_all(texts, cut)]
    if widths[0] >= 2 and header_names(cut(texts[0])) is not None:
        return 2.0  # a header settles it
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return widths.count(usual) / len(widths) if usual >= 2 else 0.0


def _cut_all(texts: Sequence[str], cut: Cut) -> Iterator[list[str]]:
    """Yield the cells of each line, none for one that cannot be cut; parsing reports it later."""
    for text in texts:
        try:
            yield cut(text)
        except RowProblem:
            yield []


def _refuse_vectors(texts: Sequence[str]) -> None:
    for text in texts[:3]:  # the first line may be a word2vec header
        numbers = text.replace("\t", " ").split(" ")[1:]
        if len(numbers) >= NUMBERS_OF_A_VECTOR and all(
            is_number(number) for number in numbers if number
        ):
            raise RowProblem(
                f"found a word followed by {len(numbers)} numbers, which is a file of word "
                "vectors; expected word pairs: are the arguments in the right order?"
            )


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, texts)) / len(texts)
