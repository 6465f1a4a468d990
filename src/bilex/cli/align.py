"""`bilex align`: both languages of a model as vectors in one space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from bilex.cli import options
from bilex.cli.screen import note, progress

EXAMPLE = (
    "Example: `bilex align en-fr aligned --source-name en --target-name fr` writes "
    "aligned/en.vec and aligned/fr.vec"
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(align)


def align(
    model: Annotated[Path, typer.Argument(help="Folder written by `bilex fit`.")],
    output: Annotated[Path, typer.Argument(help="Folder to write.")],
    format: Annotated[
        str,
        typer.Option(
            help="vec (text), bin (word2vec), kv (gensim), safetensors, or hf: a folder with a "
            "model card, as on the Hugging Face Hub."
        ),
    ] = "vec",
    source_name: Annotated[str, typer.Option(help="Of the files, such as en.")] = "source",
    target_name: Annotated[str, typer.Option(help="Of the files, such as fr.")] = "target",
    limit: options.Limit = None,
    license: Annotated[
        str | None, typer.Option(help="For the card of hf: the terms, such as CC-BY-SA-4.0.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="For the card of hf: what `bilex evaluate --json` printed.")
    ] = None,
) -> None:
    """Write the vectors of both languages in one space: the source mapped, the target as it is.

    Every vector has length 1, so that a dot product is a cosine similarity. Only a block of
    vectors is held in memory, whatever their number.
    """
    from bilex.export.aligned_vectors import AlignedFormat, AlignedVectors, check_aligned_output
    from bilex.export.model_card import read_scores
    from bilex.model_folder import read_model

    check_aligned_output(output)
    vectors = AlignedVectors(
        format=cast(AlignedFormat, format),
        source_name=source_name,
        target_name=target_name,
        limit=limit,
        license=license,
        scores=None if scores is None else read_scores(scores),
    )
    contents = read_model(model)
    with progress(f"writing {output.name}", "words") as on_block:
        vectors.write(contents, output, on_block=on_block)
    note(f"{output}: {', '.join(sorted(path.name for path in output.iterdir()))}")
