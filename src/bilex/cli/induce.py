"""`bilex induce`: the whole dictionary of a model, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.dictionaries import check_excel, write_induced
from bilex.cli.screen import note, progress, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary

EXAMPLE = "Example: `bilex induce en-fr -o en-fr.tsv --min-precision 0.9 --coverage`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(induce)


def induce(
    model: options.Model,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; its ending gives the format (see `bilex formats`). stdout if "
            "absent.",
        ),
    ] = None,
    k: options.Top = None,
    min_precision: options.MinPrecision = None,
    mutual: Annotated[
        bool,
        typer.Option("--mutual", help="Only pairs that are each other's best: fewer, cleaner."),
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Print how many entries each precision leaves.")
    ] = False,
    coverage_plot: Annotated[
        Path | None, typer.Option(help="Draw that curve: .svg, .png or .pdf.")
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
    as_json: options.Json = False,
) -> None:
    """Translate every word of the model: the dictionary, most frequent word first.

    Columns are source, target, probability of being right, score (higher is better), rank among
    the word's translations, back_rank of the word among the translation's own, origin (seed or
    induced) and model.
    """
    options.use_threads(threads)
    from bilex.candidates.curve_plot import check_plot, plot_curve
    from bilex.lexicons.dictionary import DictionaryMetadata
    from bilex.lexicons.formats import check_output, find_format
    from bilex.model import TrainedModel

    if output is not None:
        check_output(output, format)
        check_excel(output, format, excel)
        if as_json:
            raise SettingError("--json is for stdout: leave out -o, or name a .jsonl file with it")
    elif format or title or license or source_language or target_language or excel:
        raise SettingError(
            "--format, --title, --license, --excel and languages need a file: give -o"
        )
    if coverage_plot is not None:
        check_plot(coverage_plot)
    trained = TrainedModel.load(model, device=device, memory=options.memory_bytes(memory))
    if coverage or coverage_plot is not None:
        trained.require_probabilities(reverse=reverse)
    with progress("inducing", "words") as on_block:
        found = trained.induce(k=k, min_precision=min_precision, reverse=reverse, on_block=on_block)
    if coverage:
        _note_curve(found)
    if coverage_plot is not None:
        plot_curve(found, coverage_plot)
        note(f"{coverage_plot}: precision against size")
    kept = (entry for entry in found if entry.mutual or not mutual)
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
