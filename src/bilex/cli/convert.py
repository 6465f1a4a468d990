"""`bilex convert`: vectors from any format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bilex.cli import options
from bilex.cli.loading import load_space
from bilex.cli.screen import note, progress

EXAMPLE = "Example: `bilex convert cc.en.300.vec.gz en.safetensors --limit 200000`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(convert)


def convert(
    source: Annotated[Path, typer.Argument(help="Vectors in any format bilex reads.")],
    output: Annotated[
        Path,
        typer.Argument(
            help="Written by its ending: .vec or .txt (also .gz, .bz2, .xz, .zst), .bin "
            "(word2vec), .kv (gensim), .safetensors; without ending, a memory-mapped folder."
        ),
    ],
    limit: options.Limit = None,
    lowercase: options.Lowercase = False,
) -> None:
    """Read vectors of any format and write them in another."""
    from bilex.embeddings import save_embeddings

    space = load_space(source, limit=limit, lowercase=lowercase, cache=None)
    with progress(f"writing {output.name}", "words") as on_block:
        save_embeddings(space, output, on_block=on_block)
    note(f"{output}: {len(space):,} words × {space.dim}")
