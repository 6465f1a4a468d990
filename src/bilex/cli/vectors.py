"""`bilex vectors`: word vectors made from plain text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, cast

import typer

from bilex.cli import options
from bilex.cli.screen import note, progress, whole

EXAMPLE = (
    "Examples: `bilex vectors corpus.txt -o xx.vec`; "
    "`bilex vectors books/ news.txt.gz -o xx.safetensors --phrases`"
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(vectors)


def vectors(
    texts: Annotated[
        list[Path],
        typer.Argument(help="UTF-8 text files (also .gz, .bz2, .xz), or folders of .txt files."),
    ],
    output: options.Output = ...,  # type: ignore[assignment]
    method: Annotated[
        str, typer.Option(help="ppmi counts words that occur together; word2vec; fasttext.")
    ] = "ppmi",
    dim: Annotated[int | None, typer.Option(help="Length of a vector.")] = None,
    epochs: Annotated[
        int | None, typer.Option(help="How often word2vec or fasttext reads.")
    ] = None,
    min_count: Annotated[
        int | None, typer.Option(help="A word that occurs less often gets no vector.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="How many words to each side are context.")
    ] = None,
    phrases: Annotated[
        bool, typer.Option("--phrases", help="Join words that often occur together by _.")
    ] = False,
    keep_case: Annotated[bool, typer.Option("--keep-case", help="Keep capital letters.")] = False,
    segmented: Annotated[
        bool,
        typer.Option("--segmented", help="Spaces separate the words in any script, also Chinese."),
    ] = False,
    random_state: options.RandomState = 0,
    threads: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many threads compute; with more than one, vectors differ from run to run.",
        ),
    ] = 1,
) -> None:
    """Make word vectors from plain text.

    What is not given is chosen by the method and the size of the text. The ending of the output
    gives the format: .vec or .txt (also .gz, .bz2, .xz, .zst), .bin (word2vec), .kv (gensim),
    .safetensors, or without ending a memory-mapped folder. Beside it are OUTPUT.counts.tsv with
    how often each word occurs, and OUTPUT.manifest.json with how the vectors were made.
    """
    from bilex.text import VectorSettings, train_on_text
    from bilex.text.corpus import Corpus
    from bilex.text.output import check_vector_output, save_text_vectors
    from bilex.text.settings import Method

    settings = VectorSettings(
        method=cast("Method", method),
        dim=dim,
        epochs=epochs,
        min_count=min_count,
        window=window,
        phrases=phrases,
        keep_case=keep_case,
        segmented=segmented,
    )
    corpus = Corpus.of(texts)
    check_vector_output(output)
    begin = time.monotonic()
    with whole("vectors") as bar:
        found = train_on_text(
            corpus.files, settings, random_state=random_state, threads=threads, on_progress=bar
        )
    with progress(f"writing {output.name}", "words") as on_block:
        save_text_vectors(found, output, corpus, on_block=on_block)
    used = found.settings
    note(
        f"{found.tokens:,} words of text, {found.types:,} different; "
        f"{found.left_out:,} numbers and overlong words left out"
    )
    how = f"{used.method}, window {used.window}, at least {used.min_count} occurrences"
    how += "" if used.epochs is None else f", {used.epochs} epochs"
    seconds = time.monotonic() - begin
    note(f"{output}: {len(found.space):,} words × {found.space.dim} ({how}) in {seconds:.0f} s")
