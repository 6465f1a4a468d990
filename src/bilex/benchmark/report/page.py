"""The page of the report."""

from __future__ import annotations

from string import Template

from bilex.benchmark.report.findings import Name, Sentence
from bilex.benchmark.report.frame import Page, Verdict, framed, resource
from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.number_format import listed, size_label, whole
from bilex.benchmark.report.provenance import scoring_rules, versions, written
from bilex.benchmark.report.sections import Content, manifest_section, sections_of
from bilex.benchmark.report.significance import FLIPS, RESAMPLES
from bilex.benchmark.report.study import Study


def render_page(content: Content) -> str:
    """Return the page."""
    study, found = content.study, content.findings
    significant = found.significant or (("No significant difference.",),)
    return framed(
        Page(
            title=title(study),
            made=_made(study),
            facts=_facts(study),
            summary=[
                Verdict("Significant", "yes", [*map(_marked, significant)]),
                Verdict("Not significant", "no", [*map(_marked, found.open)]),
                Verdict("Limitations", "", [*map(_marked, found.caveats)]),
            ],
            sections=sections_of(content),
            reading=_reading(study),
            after=[manifest_section(content)],
            filters=_filters(study),
        )
    )


def title(study: Study) -> str:
    """Return the title of the page."""
    return f"Benchmark report: {listed(study.suites)}" if study.suites else "Benchmark report"


def _reading(study: Study) -> str:
    used = scoring_rules(study)
    return Template(resource(__package__ or "", "reading.html")).substitute(
        ranking=joined(study.ranking),
        rules=joined(f" Scoring rules: {listed(used)}." if used else ""),
        level=Markup("2<sup>n</sup>"),
        flips=whole(FLIPS),
        resamples=whole(RESAMPLES),
    )


def _made(study: Study) -> Markup:
    made = versions(study)
    return joined(f"Results written {written(study)}", f", with {made}." if made else ".")


def _facts(study: Study) -> dict[str, str]:
    done, failed = len(study.done), len(study.failures)
    sizes = [size_label(size) for size in study.sizes]
    draws = max(len(records) for records in study.cells.values())
    return {
        "Jobs done": whole(done) if not failed else f"{whole(done)} of {whole(done + failed)}",
        "Methods": whole(len(study.methods)),
        "Language pairs": whole(len(study.directions)),
        "Seed pairs": sizes[0] if len(sizes) == 1 else f"{sizes[0]} – {sizes[-1]}",
        "Draws, up to": whole(draws),
        "Test words": whole(sum(len(study.test_words[d]) for d in study.directions)),
    }


def _marked(sentence: Sentence) -> list[str | Markup]:
    return [element("b", part) if isinstance(part, Name) else part for part in sentence]


def _filters(study: Study) -> Markup:
    choices = {
        "pair": ("Pair", [(d.label, d.label) for d in study.directions]),
        "seeds": ("Seeds", [(str(size), size_label(size)) for size in study.sizes]),
        "method": ("Method", [(method, method) for method in study.methods]),
    }
    return element(
        "form",
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
        ),
        element("button", "Clear", type="reset"),
        class_="filters",
        hidden=True,
        aria_label="Filter tables and figures",
    )
