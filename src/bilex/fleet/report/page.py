"""The page of the report."""

from __future__ import annotations

from collections.abc import Sequence

from bilex.benchmark.report.frame import Page, Section, Verdict, framed, resource
from bilex.benchmark.report.html_tables import table_box
from bilex.benchmark.report.markup import Markup, element, joined
from bilex.benchmark.report.number_format import counted, decimal, percent, whole
from bilex.benchmark.report.tables import Table
from bilex.fleet.report.fleet_tables import (
    cost_table,
    failures_table,
    languages_table,
    lexicons_table,
)
from bilex.fleet.report.matrix import matrix
from bilex.fleet.report.records import FleetRecords, LexiconRecord
from bilex.fleet.report.weakness import is_weak, reasons

MOST_REASONS = 3
EXAMPLES = 3


def render_page(records: FleetRecords) -> str:
    """Return the page."""
    sections = [
        _quality_section(records),
        *_cycle_section(records),
        Section("languages", "Languages", _table(languages_table(records))),
        Section("lexicons", "Lexicons", _table(lexicons_table(records))),
        *_failures_section(records),
        Section("cost", "Cost", _table(cost_table(records))),
    ]
    package = __package__ or ""
    return framed(
        Page(
            title=f"Fleet report: {records.name}",
            made=_made(records),
            facts=_facts(records),
            summary=[
                Verdict("Lexicons", "yes", _on_lexicons(records)),
                Verdict("Weak languages", "no", _on_weak_languages(records)),
                Verdict("Limitations", "", _limitations(records)),
            ],
            sections=sections,
            reading=resource(package, "reading.html"),
            style=resource(package, "page.css"),
        )
    )


def _made(records: FleetRecords) -> Markup:
    found = {str(result["bilex"]) for results in records.done.values() for result in results}
    return joined(f"Made with bilex {', '.join(sorted(found))}. The hub is {records.hub}.")


def _facts(records: FleetRecords) -> dict[str, str]:
    total = sum(result["processor"] for results in records.done.values() for result in results)
    pairs, wanted = records.pairs_done, records.pairs_wanted
    found = {
        "Languages": whole(len(records.languages)),
        "Pairs done": whole(pairs) if pairs == wanted else f"{whole(pairs)} of {whole(wanted)}",
        "Lexicons": whole(len(records.lexicons)),
        "Entries": whole(sum(each.entries for each in records.lexicons)),
        "Hours of one core": decimal(total / 3600),
    }
    if records.has_probabilities:
        best = max(records.lexicons, key=lambda each: each.quality)
        found["Best lexicon"] = f"{best.source}→{best.target}"
    return found


def _on_lexicons(records: FleetRecords) -> list[tuple[str | Markup, ...]]:
    ordered = sorted(records.lexicons, key=lambda each: -each.quality)
    name = _quality_name(records)

    def shown(some: Sequence[LexiconRecord]) -> str:
        return ", ".join(f"{each.source}→{each.target} {percent(each.quality)}" for each in some)

    average = sum(each.quality for each in ordered) / len(ordered)
    sentences: list[tuple[str | Markup, ...]] = [
        (f"{name}: {percent(average)} % on average of {counted(len(ordered), 'lexicon')}.",),
    ]
    if records.has_probabilities:  # mutual answers alone do not say which lexicon is better
        few = min(EXAMPLES, len(ordered) // 2)
        sentences += [
            (f"Best: {shown(ordered[:few])}.",),
            (f"Weakest: {shown(ordered[: -few - 1 : -1])}.",),
        ]
    groups = {
        "with seeds of their own": [e for e in ordered if not (e.carried_over or e.through_hub)],
        "with probabilities learned through the hub": [e for e in ordered if e.through_hub],
        "with probabilities carried over from other pairs": [e for e in ordered if e.carried_over],
    }
    means = [
        f"{group} {percent(sum(each.quality for each in some) / len(some))} %"
        for group, some in groups.items()
        if some
    ]
    if len(means) > 1:
        sentences.append((f"{name} of lexicons {', '.join(means)}.",))
    return sentences


def _on_weak_languages(records: FleetRecords) -> list[tuple[str | Markup, ...]]:
    found: list[tuple[str | Markup, ...]] = []
    for language in records.languages:
        failed = language.prepared is None or (
            language.aligned is None and language.parent is not None
        )
        if failed or is_weak(records, language):
            why = reasons(records, language)[:MOST_REASONS] or ["no reason found"]
            found.append((element("b", language.code), f": {'; '.join(why)}."))
    return found or [("No language is clearly weaker than the others.",)]


def _limitations(records: FleetRecords) -> list[tuple[str | Markup, ...]]:
    found: list[tuple[str | Markup, ...]] = []
    if not records.has_probabilities:
        found.append(("The method learned no probabilities: precision is not known.",))
    if any(each.carried_over for each in records.lexicons):
        found.append(
            (
                "Probabilities of some pairs without seeds are carried over from a pair with the "
                "hub. They were not checked on words of these pairs.",
            )
        )
    if records.failed:
        found.append((f"{counted(len(records.failed), 'job')} failed.",))
    missing = records.pairs_wanted - records.pairs_done
    if missing:
        found.append((f"{counted(missing, 'pair')} not done yet.",))
    return found


def _quality_section(records: FleetRecords) -> Section:
    codes = [language.code for language in records.languages]
    name = _quality_name(records)
    note = (
        f"{name}, in percent, and the number of entries. Rows are source languages, columns target "
        "languages."
    )
    if any(each.carried_over for each in records.lexicons):
        note += " Probabilities of lexicons in italics are carried over from another pair."
    body = matrix(
        codes,
        lambda source, target: records.by_direction.get((source, target)),
        lambda found: found.quality,
        title=f"{name} of each lexicon",
        kind="good",
        with_size=True,
    )
    return Section("pairs", "Pairs", joined(_note(note), body))


def _cycle_section(records: FleetRecords) -> list[Section]:
    if all(each.cycle_error is None for each in records.lexicons):
        return []
    codes = [language.code for language in records.languages if language.code != records.hub]
    note = (
        f"Share of frequent words, in percent, whose best translation leads to another word of "
        f"{records.hub} than the word itself. Large values are bad."
    )
    body = matrix(
        codes,
        lambda source, target: records.by_direction.get((source, target)),
        lambda found: found.cycle_error,
        title="Cycle error of each lexicon",
        kind="bad",
    )
    return [Section("cycles", "Cycle errors", joined(_note(note), body))]


def _failures_section(records: FleetRecords) -> list[Section]:
    if not records.failed:
        return []
    return [Section("failures", "Failures", _table(failures_table(records)))]


def _quality_name(records: FleetRecords) -> str:
    return "Expected precision of first answers" if records.has_probabilities else "Mutual answers"


def _table(table: Table) -> Markup:
    return joined(element("h3", table.title), table_box(table, {}, caption=False))


def _note(text: str) -> Markup:
    return element("p", text, class_="note")
