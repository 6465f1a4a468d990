"""`bilex export`: a model as a dictionary file or as aligned vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bilex.cli import options
from bilex.cli.dictionaries import check_excel, check_languages, write_induced
from bilex.cli.help_text import add_command
from bilex.cli.places import check_writable
from bilex.cli.screen import command_line, note, progress
from bilex.errors import ModelFolderError, SettingError

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary

EXAMPLES = (
    "bilex export en-fr                            # writes en-fr.tsv",
    "bilex export en-fr -o en-fr.tbx --license CC0-1.0",
    "bilex export en-fr -o aligned --vectors vec   # aligned/source.vec and aligned/target.vec",
)

_VECTORS = "Vectors"  # section of the help


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, export, *EXAMPLES)


def export(
    model: options.Model,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Dictionary file to write, or folder for vectors. By default MODEL.tsv in the "
            "current folder.",
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Write vectors instead of a dictionary: vec (text), bin (word2vec), kv (gensim), "
            "safetensors, or hf (a folder with a model card, as on the Hugging Face Hub).",
            rich_help_panel=_VECTORS,
        ),
    ] = None,
    k: options.Top = None,
    min_precision: options.MinPrecision = None,
    format: options.Format = None,
    source_language: options.SourceLanguage = None,
    target_language: options.TargetLanguage = None,
    title: options.Title = None,
    license: options.License = None,
    excel: options.Excel = False,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Write only the N most frequent words of each language.",
            rich_help_panel=_VECTORS,
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Scores for the model card: the output of `bilex evaluate --json`.",
            rich_help_panel=_VECTORS,
        ),
    ] = None,
) -> None:
    """Write a model's dictionary, or its vectors in one space.

    The extension of the output gives the format of the dictionary: see `bilex formats`. With
    --vectors, the output is a folder. Source vectors are mapped into the target space, and every
    vector has length 1, so that a dot product is a cosine similarity.
    """
    if not model.is_dir():
        raise ModelFolderError(
            model, "is not a model folder: to change the format of a file, use `bilex convert`"
        )
    languages = (source_language, target_language)
    if vectors is not None:
        if (k, min_precision, format, title) != (None,) * 4 or excel:
            raise SettingError(
                "-k, --min-precision, --format, --title and --excel are not for --vectors"
            )
        _vectors(model, output, vectors, languages, limit, license, scores)
        return
    if limit is not None or scores is not None:
        raise SettingError("--limit and --scores are for vectors: add --vectors, or leave out")
    place = output or _default_file(model, format)
    check_excel(place, format, excel)
    check_languages(place, format, languages)
    found = _induced(model, place, k, min_precision, format)
    write_induced(
        found,
        found,
        place,
        format=format,
        languages=languages,
        title=title,
        license=license,
        excel=excel,
    )


def _default_file(model: Path, format: str | None) -> Path:
    """Return the file that is written if none is named; an existing one is not replaced."""
    from bilex.lexicons.formats import find_format

    ending = find_format(Path("-"), format or "tsv").extensions[0]
    place = Path(f"{model.resolve().name}{ending}")
    if place.exists():
        raise SettingError(
            f"{place} exists: name the file to write, for example "
            f"{command_line('export', model, '-o', place)}"
        )
    return place


def _induced(
    model: Path, output: Path, k: int | None, min_precision: float | None, format: str | None
) -> InducedDictionary:
    from bilex.lexicons.formats import check_output
    from bilex.model import TrainedModel

    check_output(output, format)
    check_writable(output)
    trained = TrainedModel.load(model)
    with progress("translating", "words") as on_block:
        return trained.induce(k=k, min_precision=min_precision, on_block=on_block)


def _vectors(
    model: Path,
    output: Path | None,
    format: str,
    languages: tuple[str | None, str | None],
    limit: int | None,
    license: str | None,
    scores: Path | None,
) -> None:
    from bilex.model.aligned_vectors import AlignedFormat, AlignedVectors, check_aligned_output
    from bilex.model.card import read_scores
    from bilex.model.folder import read_model

    if output is None:
        example = command_line("export", model, "-o", "aligned", "--vectors", format)
        raise SettingError(f"--vectors needs a folder to write to, for example: {example}")
    vectors = AlignedVectors(
        format=cast(AlignedFormat, format),
        source_name=languages[0] or "source",
        target_name=languages[1] or "target",
        limit=limit,
        license=license,
        scores=None if scores is None else read_scores(scores),
    )
    check_aligned_output(output)
    check_writable(output)
    contents = read_model(model)
    with progress(f"writing {output.name}", "words") as on_block:
        vectors.write(contents, output, on_block=on_block)
    note(f"{output}: {', '.join(sorted(path.name for path in output.iterdir()))}")
