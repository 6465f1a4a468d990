"""The frame of every report: one self-contained HTML file, and where it may be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from bilex.benchmark.report.markup import Markup, element, joined
from bilex.errors import SettingError

_SUMMARY, _READING = ("summary", "Summary"), ("reading", "How to read this")  # in frame.html


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page with its heading."""

    anchor: str
    title: str
    body: Markup


@dataclass(frozen=True, slots=True)
class Verdict:
    """A box of the summary; without sentences, it is left out.

    Attributes:
        title: Its heading.
        kind: A class of the style sheet: "yes", "no" or "".
        sentences: Its sentences, each as parts.
    """

    title: str
    kind: str
    sentences: Sequence[Sequence[str | Markup]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The content of a report.

    Attributes:
        title: Its title.
        made: When and with what it was made.
        facts: The numbers below the title, by name.
        summary: The boxes of the summary.
        sections: The sections between the summary and the explanations.
        reading: The explanations, as HTML.
        after: The sections after the explanations.
        filters: The form that filters tables and figures; None for none.
        style: Further rules of the style sheet.
    """

    title: str
    made: Markup
    facts: Mapping[str, str]
    summary: Sequence[Verdict]
    sections: Sequence[Section]
    reading: str
    after: Sequence[Section] = ()
    filters: Markup | None = None
    style: str = ""


def framed(page: Page) -> str:
    """Return the page as HTML."""
    own = __package__ or ""
    sections, after = ([(s.anchor, s.title) for s in part] for part in (page.sections, page.after))
    contents = [_SUMMARY, *sections, _READING, *after]
    return Template(resource(own, "frame.html")).substitute(
        title=joined(page.title),
        style="\n".join(filter(None, [resource(own, "page.css"), page.style])),
        script=resource(own, "page.js"),
        made=page.made,
        facts=joined(
            *(
                element("div", element("dt", name), element("dd", value))
                for name, value in page.facts.items()
            )
        ),
        contents=joined(
            *(element("li", element("a", title, href=f"#{anchor}")) for anchor, title in contents)
        ),
        summary=_summary(page.summary),
        filters="" if page.filters is None else f"{page.filters}\n",
        sections=joined(*(_rendered(section) for section in page.sections)),
        reading=page.reading,
        after="".join(f"{_rendered(section)}\n" for section in page.after),
    )


def resource(package: str, name: str) -> str:
    """Return the text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8").strip()


def check_page_name(output: Path) -> None:
    """Raise if a report cannot be written to a file of this name.

    Raises:
        SettingError: If it is not the name of an HTML file.
    """
    if output.suffix.lower() not in (".html", ".htm"):
        raise SettingError(
            f"the report cannot be written to {output}: expected a name that ends in .html"
        )


def _rendered(section: Section) -> Markup:
    return element("section", element("h2", section.title), section.body, id=section.anchor)


def _summary(boxes: Sequence[Verdict]) -> Markup:
    return element(
        "div",
        *(
            element(
                "div",
                element("h3", box.title),
                element("ul", *(element("li", *sentence) for sentence in box.sentences)),
                class_=f"verdict {box.kind}".strip(),
            )
            for box in boxes
            if box.sentences
        ),
        class_="verdicts",
    )
