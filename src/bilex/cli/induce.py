"""`bilex induce`: the whole dictionary of a model, in any format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.dictionaries import check_excel, check_languages, write_induced
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_lemmas, load_model
from bilex.cli.places import check_writable
from bilex.cli.screen import note, progress, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary
    from bilex.lexicons.dictionary import DictionaryEntry

EXAMPLES = (
    "bilex induce en-fr -o en-fr.tsv",
    "bilex induce en-fr -o en-fr.xlsx --min-precision 0.9 --coverage",
    "bilex induce en-fr -o lemmas.tsv --source-lemmas simplemma:en --target-lemmas simplemma:fr",
    "bilex induce en-fr --json | head",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, induce, *EXAMPLES)


def induce(
    model: options.Model,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Dictionary file to write; its extension gives the format (see `bilex formats`). "
            "By default, the dictionary is printed.",
        ),
    ] = None,
    k: options.Top = None,
    min_precision: options.MinPrecision = None,
    mutual: Annotated[
        bool,
        typer.Option(
            "--mutual",
            help="Keep only pairs of words that are each other's best translation: fewer entries, "
            "of which more are right.",
        ),
    ] = False,
    source_lemmas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|simplemma:LANG",
            help="Join the forms of a source word in one entry: a TSV file with form and lemma on "
            "each line, or the lemmas of the package simplemma, such as simplemma:en.",
        ),
    ] = None,
    target_lemmas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|simplemma:LANG",
            help="The same for translations, which are then lemmas.",
        ),
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage", help="Print how many entries there are at each expected precision."
        ),
    ] = False,
    coverage_plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw the number of entries by precision: .svg, .png or .pdf."
        ),
    ] = None,
    format: options.Format = None,
    source_language: options.SourceLanguage = None,
    target_language: options.TargetLanguage = None,
    title: options.Title = None,
    license: options.License = None,
    excel: options.Excel = False,
    reverse: options.Reverse = False,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    search: options.Search = "auto",
    as_json: options.Json = False,
) -> None:
    """Translate every word of the model: write the dictionary.

    The most frequent words come first. The columns are: source; target; probability of being
    right; score (higher is better); rank of the target among the translations of the source;
    back_rank, the rank of the source among the translations of the target; origin (seed or
    induced); model. With lemmas, an entry has the probability of its most probable pair of forms,
    or more.
    """
    options.use_threads(threads)
    from bilex.candidates.curve_plot import check_plot, plot_curve
    from bilex.lexicons.by_lemma import by_lemma
    from bilex.lexicons.dictionary import DictionaryMetadata
    from bilex.lexicons.formats import check_output, find_format

    if output is not None:
        check_output(output, format)
        check_writable(output)
        check_excel(output, format, excel)
        check_languages(output, format, (source_language, target_language))
        if as_json:
            raise SettingError("--json prints: leave out -o, or write a .jsonl file with -o")
    elif format or title or license or source_language or target_language or excel:
        raise SettingError(
            "--format, --title, --license, --excel and languages are for a file: add -o FILE"
        )
    lemmas = [load_lemmas(each) for each in (source_lemmas, target_lemmas)]
    if coverage_plot is not None:
        check_plot(coverage_plot)
        check_writable(coverage_plot)
    trained = load_model(model, device=device, memory=memory, search=search)
    if coverage or coverage_plot is not None:
        trained.require_probabilities(reverse=reverse)
    with progress("translating", "words") as on_block:
        found = trained.induce(k=k, min_precision=min_precision, reverse=reverse, on_block=on_block)
    if coverage:
        _note_curve(found)
    if coverage_plot is not None:
        plot_curve(found, coverage_plot)
        note(f"{coverage_plot}: number of entries by precision")
    kept: Iterable[DictionaryEntry] = (one for one in found if one.mutual or not mutual)
    if any(lemmas):
        source, target = (None if each is None else each.lemma_of for each in lemmas)
        kept = by_lemma(kept, source=source, target=target)
    if output is None:
        render = find_format(Path("-"), "jsonl" if as_json else "tsv").render
        assert render is not None  # noqa: S101 - both are text
        for line in render(kept, DictionaryMetadata()):
            result(line, end="")
        return
    write_induced(
        kept,
        found,
        output,
        format=format,
        languages=(source_language, target_language),
        title=title,
        license=license,
        excel=excel,
    )


def _note_curve(found: InducedDictionary) -> None:
    note(f"{'precision':>9}{'entries':>10}{'words':>9}{'of words':>10}  smallest probability")
    for point in found.curve():
        note(
            f"{point.precision:>9.2f}{point.entries:>10,}{point.words:>9,}"
            f"{point.words / len(found.words):>10.1%}  {min(point.threshold, 1):.3f}"
        )
