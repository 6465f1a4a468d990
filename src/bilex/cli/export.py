"""`bilex export`: a model as a dictionary file or as aligned vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bilex.cli import options
from bilex.cli.dictionaries import check_excel, write_induced
from bilex.cli.screen import note, progress
from bilex.errors import ModelFolderError, SettingError

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary

EXAMPLE = (
    "Examples: `bilex export en-fr -o en-fr.tbx --license CC0-1.0` writes the dictionary; "
    "`bilex export en-fr -o aligned --vectors vec` writes aligned/source.vec and aligned/target.vec"
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(export)


def export(
    model: options.Model,
    output: options.Output = ...,  # type: ignore[assignment]
    vectors: Annotated[
        str | None,
        typer.Option(
            help="Write vectors instead of a dictionary: vec (text), bin (word2vec), kv (gensim), "
            "safetensors, or hf, a folder with a model card as on the Hugging Face Hub."
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
        int | None, typer.Option(min=1, help="Vectors: only the N most frequent words.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="For the model card: output of `bilex evaluate --json`.")
    ] = None,
) -> None:
    """Write what a model holds for use elsewhere: its dictionary, or its vectors in one space.

    The ending of the output gives the format of a dictionary (see `bilex formats`). With
    --vectors the output is a folder; source vectors are mapped into the target space, and every
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
    check_excel(output, format, excel)
    found = _induced(model, output, k, min_precision, format)
    write_induced(
        found,
        found,
        output,
        format=format,
        languages=languages,
        title=title,
        license=license,
        excel=excel,
    )


def _induced(
    model: Path, output: Path, k: int | None, min_precision: float | None, format: str | None
) -> InducedDictionary:
    from bilex.lexicons.formats import check_output
    from bilex.model import TrainedModel

    check_output(output, format)
    trained = TrainedModel.load(model)
    with progress("inducing", "words") as on_block:
        return trained.induce(k=k, min_precision=min_precision, on_block=on_block)


def _vectors(
    model: Path,
    output: Path,
    format: str,
    languages: tuple[str | None, str | None],
    limit: int | None,
    license: str | None,
    scores: Path | None,
) -> None:
    from bilex.model.aligned_vectors import AlignedFormat, AlignedVectors, check_aligned_output
    from bilex.model.card import read_scores
    from bilex.model.folder import read_model

    check_aligned_output(output)
    vectors = AlignedVectors(
        format=cast(AlignedFormat, format),
        source_name=languages[0] or "source",
        target_name=languages[1] or "target",
        limit=limit,
        license=license,
        scores=None if scores is None else read_scores(scores),
    )
    contents = read_model(model)
    with progress(f"writing {output.name}", "words") as on_block:
        vectors.write(contents, output, on_block=on_block)
    note(f"{output}: {', '.join(sorted(path.name for path in output.iterdir()))}")
