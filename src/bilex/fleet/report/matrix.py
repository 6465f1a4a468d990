"""A matrix of all pairs: a row for each source language, a column for each target language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.number_format import percent, whole
from bilex.fleet.report.records import LexiconRecord

COMPACT = 30
"""With more languages than this, cells have no text; it is shown for the cell under the pointer."""

Value = Callable[[LexiconRecord], float | None]
"""Returns the value of a cell, from 0 to 1; None if there is none."""


def matrix(
    codes: Sequence[str],
    lexicon: Callable[[str, str], LexiconRecord | None],
    value: Value,
    *,
    title: str,
    kind: str,
    with_size: bool = False,
) -> Markup:
    """Return the matrix as an HTML table.

    Args:
        codes: The languages, in the order of rows and columns.
        lexicon: Returns the lexicon of a direction; None if there is none.
        value: The value of a cell, which gives it its color.
        title: The title of the table.
        kind: A class of the style sheet: "good" or "bad" for large values.
        with_size: Whether cells show the number of entries too.
    """
    compact = len(codes) > COMPACT
    head = element(
        "tr",
        element("td", "from ↓ to →", class_="corner"),
        *(element("th", code, scope="col") for code in codes),
    )
    rows = [
        element(
            "tr",
            element("th", source, scope="row"),
            *(
                _cell(source, target, lexicon(source, target), value, compact, with_size)
                for target in codes
            ),
        )
        for source in codes
    ]
    table = element(
        "table",
        element("caption", title, class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_=f"matrix {kind}{' compact' if compact else ''}",
    )
    box = element("div", table, class_="box", tabindex=0, role="region", aria_label=title)
    return joined(element("div", box, class_="frame"))


def _cell(
    source: str,
    target: str,
    found: LexiconRecord | None,
    value: Value,
    compact: bool,
    with_size: bool,
) -> Markup:
    if source == target:
        return element("td", class_="self")
    number = None if found is None else value(found)
    if found is None or number is None:
        return element("td", None if compact else "–", class_="none")
    size = f", {whole(found.entries)} entries" if with_size else ""
    carried = ", probabilities carried over" if found.carried_over else ""
    if found.through_hub:
        carried = ", probabilities learned through the hub"
    text = percent(number)
    return element(
        "td",
        None if compact else text,
        element("small", _short(found.entries)) if with_size and not compact else None,
        title=f"{source} → {target}: {text} %{size}{carried}",
        class_="carried" if with_size and found.carried_over else None,
        style=f"--v: {round(100 * number)}%",
    )


def _short(number: int) -> str:
    if number < 1_000:
        return str(number)
    if number < 1_000_000:
        return f"{number / 1_000:.1f}k" if number < 10_000 else f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"
