"""`bilex induce`: the whole dictionary, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.screen import note, progress
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.inducer import LexiconInducer
    from bilex.induction import InducedDictionary

EXAMPLE = "Example: `bilex induce en-fr -o en-fr.tsv --min-precision 0.9 --coverage`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(induce)


def induce(
    model: Annotated[Path, typer.Argument(help="Folder written by `bilex fit`.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; its ending tells the format (see `bilex export --help`). "
            "stdout when absent.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            min=1,
            help="At most so many translations a word; by default as many as it deserves, or one "
            "if the model is not calibrated.",
        ),
    ] = None,
    min_precision: Annotated[
        float | None,
        typer.Option(help="Cut where this share of the entries is right, such as 0.9."),
    ] = None,
    mutual: Annotated[
        bool,
        typer.Option("--mutual", help="Only pairs that are each other's best: fewer, cleaner."),
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Print how size falls as precision rises.")
    ] = False,
    coverage_plot: Annotated[
        Path | None, typer.Option(help="Draw that curve: .svg, .png or .pdf.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="Of the output, where its ending does not tell.")
    ] = None,
    source_language: Annotated[str, typer.Option(help="A tag such as en, for the file.")] = "und",
    target_language: Annotated[str, typer.Option(help="A tag such as fr.")] = "und",
    title: Annotated[str, typer.Option(help="What people call the dictionary.")] = "",
    license: Annotated[str, typer.Option(help="Its terms, such as CC0-1.0.")] = "",
    reverse: options.Reverse = False,
    device: options.Device = "cpu",
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Translate every word of the model: the dictionary, most frequent word first.

    Columns are source, target, probability of being right, score (higher is better), rank among
    the word's translations, back_rank of the word among the translation's own, origin (seed or
    induced) and model.
    """
    from bilex.dictionary import DictionaryFacts
    from bilex.export import check_output, write_dictionary
    from bilex.export.plain_text import jsonl, tsv
    from bilex.inducer import LexiconInducer

    if output is not None:
        check_output(output, format)
        if as_json:
            raise SettingError("--json is for stdout: leave out -o, or name a .jsonl file with it")
    elif format or title or license or {source_language, target_language} != {"und"}:
        raise SettingError("--format, --title, --license and languages need a file: give -o")
    if coverage_plot is not None:
        _check_plot(coverage_plot)
    inducer = LexiconInducer.load(model, device=device, memory=options.memory_bytes(memory))
    if coverage or coverage_plot is not None:
        inducer.require_probabilities(reverse=reverse)
    with progress("inducing", "words") as on_block:
        found = inducer.induce(k=k, min_precision=min_precision, reverse=reverse, on_block=on_block)
    if coverage:
        _note_curve(found)
    if coverage_plot is not None:
        _plot(found, coverage_plot)
    kept = (entry for entry in found if entry.mutual or not mutual)
    if output is None:
        render = jsonl if as_json else tsv
        for line in render(kept, DictionaryFacts()):
            typer.echo(line, nl=False)
        return
    facts = DictionaryFacts(
        source_language=source_language,
        target_language=target_language,
        title=title,
        license=license,
        manifest=_manifest(inducer, found, reverse),
    )
    count = write_dictionary(kept, output, facts, format=format)
    note(f"{output}: {count:,} entries")


def _manifest(
    inducer: LexiconInducer, found: InducedDictionary, reverse: bool
) -> dict[str, object]:
    from bilex.manifest import versions, vocabulary

    spaces = (inducer.source_, inducer.target_)
    source, target = spaces[::-1] if reverse else spaces
    return {
        "model": found.model,
        "versions": versions(),
        "source": vocabulary(source),
        "target": vocabulary(target),
        "seeds": len(inducer.seeds_),
        "limit": found.limit,
        "threshold": found.threshold if found.threshold <= 1 else None,  # None: none is enough
    }


def _note_curve(found: InducedDictionary) -> None:
    note(f"{'precision':>9}{'entries':>10}{'words':>9}{'of words':>10}  smallest probability")
    for point in found.curve():
        note(
            f"{point.precision:>9.2f}{point.entries:>10,}{point.words:>9,}"
            f"{point.words / len(found.words):>10.1%}  {min(point.threshold, 1):.3f}"
        )


def _check_plot(path: Path) -> None:
    from bilex.induction.curve_plot import check_plot

    check_plot(path)


def _plot(found: InducedDictionary, path: Path) -> None:
    from bilex.induction.curve_plot import plot_curve

    plot_curve(found, path)
    note(f"{path}: precision against size")
