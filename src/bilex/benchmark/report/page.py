"""The report as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from bilex.benchmark.report.findings import Findings, Name, Sentence
from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.number_format import listed, size_label, whole
from bilex.benchmark.report.provenance import scoring_rules, versions, written
from bilex.benchmark.report.sections import (
    Content,
    Section,
    manifest_section,
    rendered,
    sections_of,
)
from bilex.benchmark.report.significance import FLIPS, RESAMPLES
from bilex.benchmark.report.study import Study


def render_page(content: Content) -> str:
    """Return the page."""
    sections = sections_of(content)
    reading = Section("reading", "How to read this", Markup(""))
    manifest = manifest_section(content)
    summary = Section("summary", "Summary", Markup(""))
    used = scoring_rules(content.study)
    return Template(_resource("page.html")).substitute(
        title=joined(title(content.study)),
        style=_resource("page.css"),
        script=_resource("page.js"),
        made=_made(content.study),
        facts=_facts(content.study),
        contents=_contents([summary, *sections, reading, manifest]),
        summary=_summary(content.findings),
        filters=_filters(content.study),
        sections=joined(*(rendered(section) for section in sections)),
        manifest=rendered(manifest),
        ranking=joined(content.study.ranking),
        rules=joined(f" Scoring rules: {listed(used)}." if used else ""),
        level=Markup("2<sup>n</sup>"),
        flips=whole(FLIPS),
        resamples=whole(RESAMPLES),
    )


def title(study: Study) -> str:
    """Return the title of the page."""
    return f"Benchmark report: {listed(study.suites)}" if study.suites else "Benchmark report"


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _made(study: Study) -> Markup:
    made = versions(study)
    return joined(f"Results written {written(study)}", f", with {made}." if made else ".")


def _facts(study: Study) -> Markup:
    done, failed = len(study.done), len(study.failures)
    sizes = [size_label(size) for size in study.sizes]
    draws = max(len(records) for records in study.cells.values())
    facts = {
        "Jobs done": whole(done) if not failed else f"{whole(done)} of {whole(done + failed)}",
        "Methods": whole(len(study.methods)),
        "Language pairs": whole(len(study.directions)),
        "Seed pairs": sizes[0] if len(sizes) == 1 else f"{sizes[0]} – {sizes[-1]}",
        "Draws, up to": whole(draws),
        "Test words": whole(sum(len(study.test_words[d]) for d in study.directions)),
    }
    return joined(*(element("div", element("dt", k), element("dd", v)) for k, v in facts.items()))


def _contents(sections: Sequence[Section]) -> Markup:
    return joined(*(element("li", element("a", s.title, href=f"#{s.anchor}")) for s in sections))


def _summary(findings: Findings) -> Markup:
    boxes = [
        ("Significant", "yes", findings.significant or (("No significant difference.",),)),
        ("Not significant", "no", findings.open),
        ("Limitations", "", findings.caveats),
    ]
    return element(
        "div",
        *(
            element(
                "div",
                element("h3", heading),
                element("ul", *(_item(sentence) for sentence in sentences)),
                class_=f"verdict {kind}".strip(),
            )
            for heading, kind, sentences in boxes
            if sentences
        ),
        class_="verdicts",
    )


def _item(sentence: Sentence) -> Markup:
    parts = [element("b", part) if isinstance(part, Name) else part for part in sentence]
    return element("li", *parts)


def _filters(study: Study) -> Markup:
    choices = {
        "pair": ("Pair", [(d.label, d.label) for d in study.directions]),
        "seeds": ("Seeds", [(str(size), size_label(size)) for size in study.sizes]),
        "method": ("Method", [(method, method) for method in study.methods]),
    }
    return joined(
        *(
            element(
                "label",
                heading,
                element(
                    "select",
                    element("option", "all", value=""),
                    *(element("option", text, value=value) for value, text in options),
                    name=name,
                    autocomplete="off",
                ),
            )
            for name, (heading, options) in choices.items()
        )
    )
