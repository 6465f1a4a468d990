"""The sections of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bilex.benchmark.report.drawing import Picture, page_svg
from bilex.benchmark.report.findings import Findings
from bilex.benchmark.report.frame import Section
from bilex.benchmark.report.html_tables import filter_keys, table_box
from bilex.benchmark.report.legend import legend
from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.number_format import counted, size_label
from bilex.benchmark.report.palette import Look
from bilex.benchmark.report.score_tables import MARKS_NOTE
from bilex.benchmark.report.study import Study
from bilex.benchmark.report.tables import Row, Table


@dataclass(frozen=True, slots=True)
class Content:
    """The content of the page.

    Attributes:
        study: The arranged results.
        findings: The sentences of the summary.
        precision: A table for each number of seeds.
        tables: The other tables, by name.
        pictures: The figures.
        looks: The color, marker and line style of each method.
    """

    study: Study
    findings: Findings
    precision: Sequence[Table]
    tables: Mapping[str, Table]
    pictures: Sequence[Picture]
    looks: Mapping[str, Look]


def sections_of(content: Content) -> list[Section]:
    """Return the sections between the summary and the explanations."""
    tables, looks = content.tables, content.looks
    precision = joined(
        _note(
            f"P@1 by {content.study.ranking}, in percent: mean ± standard deviation over draws of "
            f"the seeds. Below a pair: covered test words. {MARKS_NOTE}"
        ),
        *(
            element("div", table_box(table, looks), **filter_keys(size=table.rows[0].size))
            for table in content.precision
        ),
    )
    differences = [p for p in content.pictures if p.name == "differences"]
    compared = joined(
        *(_drawn(content, picture) for picture in differences),
        *(_titled(tables[name], looks) for name in ("wins", "comparisons")),
        _folded(tables["comparisons-by-pair"], looks),
    )
    details = joined(*(_titled(tables[n], looks) for n in ("scores", "basis", "cost")))
    return [
        Section("precision", "Precision at 1", precision),
        *(_pictured(content, p) for p in content.pictures if p not in differences),
        Section("comparisons", "Comparisons of methods", compared),
        Section("scores", "All numbers", details),
        Section("errors", "Example errors", _errors(content)),
        *([_failures(content)] if content.study.failures else []),
    ]


def _pictured(content: Content, picture: Picture) -> Section:
    body = _drawn(content, picture)
    if picture.name in content.tables:
        table = replace(content.tables[picture.name], title="Show the numbers")
        body = joined(body, _folded(table, content.looks))
    return Section(picture.name, picture.title, body)


def _drawn(content: Content, picture: Picture) -> Markup:
    panels = [
        element(
            "figure",
            element("figcaption", panel.title),
            element(
                "div",
                Markup(page_svg(panel, f"{picture.name}-{place}")),
                role="img",
                aria_label=f"{picture.title}: {panel.title}. The numbers are in the tables.",
            ),
            **filter_keys(panel.direction, panel.size),
        )
        for place, panel in enumerate(picture.panels)
    ]
    key = legend(content.study.methods, content.looks) if picture.legend else None
    grid = "panels two" if len(panels) in (2, 4) else "panels"
    return joined(_note(picture.note), key, element("div", *panels, class_=grid))


def _errors(content: Content) -> Markup:
    table = content.tables["errors"]
    parts: list[Markup] = []
    for direction in content.study.directions:
        rows = tuple(
            Row(row.cells[1:], row.direction, None, row.method)
            for row in table.rows
            if row.direction == direction
        )
        if rows:
            own = Table(table.name, direction.label, "", table.columns[1:], rows, headings=3)
            parts.append(_folded(own, content.looks, opened=not parts, **filter_keys(direction)))
    return joined(_note(table.note), *parts)


def _failures(content: Content) -> Section:
    table = content.tables["failures"]
    traces = [
        element(
            "details",
            element(
                "summary",
                f"{r.direction.label}, {size_label(r.seeds)}, {r.method}, draw {r.draw}",
            ),
            element("pre", r.failure.traceback),
            class_="more",
            **filter_keys(r.direction, r.seeds, r.method),
        )
        for r in content.study.failures
        if r.failure is not None and r.failure.traceback
    ]
    body = joined(_note(table.note), table_box(table, content.looks, caption=False), *traces)
    return Section("failures", "Failures", body)


def manifest_section(content: Content) -> Section:
    """Return the section with versions, hashes and settings."""
    table = content.tables["manifest"]
    note = _note("Versions, hashes and settings as the jobs recorded them.")
    entries = counted(len(table.rows), "entry", "entries")
    shown = element(
        "details",
        element("summary", f"Show {entries}"),
        table_box(table, content.looks, caption=False),
        class_="more",
    )
    return Section("manifest", "Manifest", joined(note, shown))


def _note(text: str) -> Markup:
    return element("p", text, class_="note")


def _titled(table: Table, looks: Mapping[str, Look]) -> Markup:
    return joined(
        element("h3", table.title),
        _note(table.note) if table.note else None,
        table_box(table, looks, caption=False),
    )


def _folded(
    table: Table,
    looks: Mapping[str, Look],
    *,
    opened: bool = False,
    **attributes: str | int | None,
) -> Markup:
    return element(
        "details",
        element("summary", table.title),
        _note(table.note) if table.note else None,
        table_box(table, looks, caption=False),
        class_="more",
        open=opened,
        **attributes,
    )
