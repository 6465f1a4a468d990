"""Tables as HTML that can be sorted and filtered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.palette import Look
from bilex.benchmark.report.records import Direction
from bilex.benchmark.report.tables import Cell, Column, Row, Table

TALL = 14
"""A table with more rows than this scrolls inside its box."""

WIDTHS = {"long": 40, "middling": 9}
"""A column with a longer text than this gets the class of that name, which is wider."""

PINNED = ("word", "method", "first")
"""The first of these columns stays visible when a table is scrolled sideways."""

_SPOKEN = {"best": "best", "tied": "not significantly below the best"}


def table_box(table: Table, looks: Mapping[str, Look], *, caption: bool = True) -> Markup:
    """Return a table in a box in which it scrolls if it is too wide or too tall."""
    kinds = [_kind(table, place) for place in range(len(table.columns))]
    heads = zip(table.columns, kinds, strict=True)
    head = element("tr", *(_head_cell(column, column_kind) for column, column_kind in heads))
    body = joined(*(_row(table, row, looks, kinds) for row in table.rows))
    title = element("caption", table.title, class_=None if caption else "unseen")
    kind = "box tall" if len(table.rows) > TALL else "box"
    found = element("table", title, element("thead", head), element("tbody", body))
    box = element("div", found, class_=kind, tabindex=0, role="region", aria_label=table.title)
    nothing = element("p", "No row matches the filters.", class_="nothing", hidden=True)
    return joined(element("div", box, class_="frame"), nothing)


def filter_keys(
    direction: Direction | None = None, size: int | None = None, method: str | None = None
) -> dict[str, str | int | None]:
    """Return the attributes by which the page shows and hides an element."""
    label = None if direction is None else direction.label
    return {"data_pair": label, "data_seeds": size, "data_method": method}


def swatch(look: Look) -> Markup:
    """Return a dot in the color of a method."""
    return element("i", class_=f"dot c{look.number}")


def _kind(table: Table, place: int) -> str:
    """Return the CSS classes of a column: number, width, pinned, marked."""
    keys = [column.key for column in table.columns]
    pinned = next((key for key in PINNED if key in keys), None)
    column = table.columns[place]
    length = max((len(row.cells[place].text) for row in table.rows), default=0)
    kinds = [
        "number" if column.numeric else "",
        "" if column.numeric else next((k for k, n in WIDTHS.items() if length > n), ""),
        "pin" if column.key == pinned else "",
        "marked" if any(row.cells[place].mark for row in table.rows) else "",
    ]
    return " ".join(filter(None, kinds))


def _head_cell(column: Column, kind: str) -> Markup:
    note = element("small", column.note) if column.note else None
    return element(
        "th",
        element("button", column.title, type="button"),
        note,
        scope="col",
        class_=kind or None,
        **filter_keys(column.direction),
    )


def _row(table: Table, row: Row, looks: Mapping[str, Look], kinds: Sequence[str]) -> Markup:
    cells = [
        _cell(cell, table.columns[place], looks, kinds[place], heading=place < table.headings)
        for place, cell in enumerate(row.cells)
    ]
    kind = "baseline" if row.method is None and _has_method(table) else None
    return element("tr", *cells, class_=kind, **filter_keys(row.direction, row.size, row.method))


def _has_method(table: Table) -> bool:
    return any(row.method is not None for row in table.rows)


def _cell(
    cell: Cell, column: Column, looks: Mapping[str, Look], kind: str, *, heading: bool
) -> Markup:
    look = looks.get(str(cell.value)) if column.key in ("method", "first", "second") else None
    return element(
        "th" if heading else "td",
        swatch(look) if look is not None else None,
        _text(cell),
        element("small", cell.spread, class_="spread") if cell.spread else None,
        element("span", "≈", class_="mark", aria_hidden="true") if cell.mark == "tied" else None,
        element("span", f" ({_SPOKEN[cell.mark]})", class_="unseen") if cell.mark else None,
        scope="row" if heading else None,
        class_=" ".join(filter(None, [kind, cell.mark])) or None,
        data_v=None if isinstance(cell.value, str) or cell.value is None else str(cell.value),
        **filter_keys(column.direction),
    )


def _text(cell: Cell) -> str:
    """Return the text of a cell; a word is isolated, with its language and writing direction."""
    return element("bdi", cell.text, lang=cell.language) if cell.language else cell.text
