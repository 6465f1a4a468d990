"""Rows of cells, as in TSV and CSV files: which column is what, and how a row is cut."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bilex.lexicons.entries import RowProblem, is_number, make_entries, parse_weight
from bilex.values import Entry

COLUMN_NAMES = {
    **dict.fromkeys(("source", "src"), "source"),
    **dict.fromkeys(("target", "tgt", "trg", "translation"), "target"),
    "weight": "weight",
    "provenance": "provenance",
}
"""What a header line may call the columns; case and surrounding spaces do not matter."""

Cut = Callable[[str], list[str]]
"""Cuts a line into cells."""


@dataclass(frozen=True)
class Columns:
    """Where the parts of an entry are in a row."""

    names: tuple[str, ...]
    has_header: bool
    ragged: bool = False  # rows may have more or fewer target cells than `names` says

    @property
    def ignored(self) -> tuple[str, ...]:
        """Return the names of the columns that are not read."""
        return tuple(name for name in self.names if name not in COLUMN_NAMES.values())

    def entries(self, cells: list[str]) -> list[Entry]:
        """Turn the cells of one row into entries, one for each filled target cell."""
        names = self.names
        if len(cells) < 2:
            raise RowProblem(
                f"found one column ({_shown(cells)}), expected a source and a target word"
            )
        if self.ragged:
            names = ("source", *["target"] * (len(cells) - 1))
        if len(cells) != len(names):
            promised = "the header" if self.has_header else "the first row"
            raise RowProblem(
                f"found {len(cells)} columns, {promised} has {len(names)}: a word that holds "
                "the separator must be in double quotes in a CSV file; a tab separates columns "
                "everywhere else"
            )
        if names == ("source", "target"):  # most files, and much faster
            return make_entries(cells[0], cells[1:])
        parts: dict[str, list[str]] = {"source": [], "target": [], "weight": [], "provenance": []}
        for name, cell in zip(names, cells, strict=True):
            parts.setdefault(name, []).append(cell)
        filled = [cell for cell in parts["target"] if cell.strip(" ")]
        return make_entries(
            parts["source"][0],
            filled or [""],
            weight=parse_weight("".join(parts["weight"])),
            provenance="".join(parts["provenance"]),
        )


def cut_at_tabs(line: str) -> list[str]:
    """Cut at tabs; quotes have no meaning in TSV."""
    return line.split("\t")


def cut_at(separator: str) -> Cut:
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


def find_columns(rows: Sequence[list[str]], *, ragged: bool) -> Columns:
    """Tell from the first rows which column is what.

    Args:
        rows: The cells of the first rows.
        ragged: Whether rows without a header may differ in their number of translations.

    Raises:
        RowProblem: If the header names a column twice, or numbers stand where words should.
    """
    names = header_names(rows[0])
    if names is not None:
        for name in ("source", "weight", "provenance"):
            if names.count(name) > 1:
                raise RowProblem(f"the header names {names.count(name)} {name} columns, expected 1")
        return Columns(names, has_header=True)
    if _third_column_is_numeric(rows):
        raise RowProblem(
            f"the third column holds numbers ({rows[-1][2].strip(' ')!r}) where further "
            "translations are expected: if they are weights, add a first line that names the "
            "columns source, target and weight"
        )
    width = max(map(len, rows)) if ragged else len(rows[0])
    names = ("source", *["target"] * max(width - 1, 1))
    return Columns(names, has_header=False, ragged=ragged)


def header_names(cells: list[str]) -> tuple[str, ...] | None:
    """Return the names of the columns if the row is a header, else None."""
    given = [cell.strip(" ").lower() for cell in cells]
    names = tuple(COLUMN_NAMES.get(name, name) for name in given)
    if "provenance" not in names:  # dictionaries call it the origin
        names = tuple("provenance" if name == "origin" else name for name in names)
    return names if "source" in names and "target" in names else None


def _third_column_is_numeric(rows: Sequence[list[str]]) -> bool:
    return all(len(row) == 3 and is_number(row[2].strip(" ")) for row in rows[1:] or rows) and not (
        all(len(row) == 3 and is_number(row[1].strip(" ")) for row in rows)
    )


def _shown(cells: list[str]) -> str:
    text = cells[0] if cells else ""
    return repr(text if len(text) <= 40 else text[:39] + "…")
