"""`bilex vectors`: word vectors made from plain text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, cast

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.places import check_writable
from bilex.cli.screen import note, progress, whole

EXAMPLES = (
    "bilex vectors corpus.txt -o xx.vec",
    "bilex vectors books/ news.txt.gz -o xx.safetensors --phrases",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, vectors, *EXAMPLES)


def vectors(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT...",
            help="UTF-8 text files (also .gz, .bz2, .xz), or folders of .txt files.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Vector file to write.")
    ] = ...,  # type: ignore[assignment]
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="ppmi (counts of words that occur together), word2vec or fasttext.",
        ),
    ] = "ppmi",
    dim: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Length of a vector. By default 200 for ppmi, 100 for the others."
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", help="How often word2vec or fasttext reads the text."),
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option(metavar="N", help="Words that occur less often get no vector."),
    ] = None,
    max_words: Annotated[
        int, typer.Option(metavar="N", help="Only the N most frequent words get a vector.")
    ] = 200_000,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many words to each side count as context."),
    ] = None,
    context_letters: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="ppmi counts context words with the same first N letters as one; 0 keeps all "
            "words apart. By default 5.",
        ),
    ] = None,
    phrases: Annotated[
        bool,
        typer.Option("--phrases", help="Join words that often occur together, as hot_dog."),
    ] = False,
    keep_case: Annotated[bool, typer.Option("--keep-case", help="Keep capital letters.")] = False,
    segmented: Annotated[
        bool,
        typer.Option(
            "--segmented",
            help="Words are separated by spaces in any script, such as Chinese after a segmenter.",
        ),
    ] = False,
    random_state: options.RandomState = 0,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of threads. With more than one, vectors differ from run to run.",
            rich_help_panel=options.COMPUTING,
        ),
    ] = 1,
) -> None:
    """Make word vectors from plain text.

    Settings that are not given depend on the method and the size of the text. The extension of the
    output gives the format: .vec or .txt (also .gz, .bz2, .xz, .zst), .bin (word2vec), .kv
    (gensim), .safetensors; without an extension it is a memory-mapped folder. Two more files are
    written: OUTPUT.counts.tsv with how often each word occurs, and OUTPUT.manifest.json with how
    the vectors were made.
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
        max_words=max_words,
        window=window,
        context_letters=context_letters,
        phrases=phrases,
        keep_case=keep_case,
        segmented=segmented,
    )
    corpus = Corpus.of(texts)
    check_vector_output(output)
    check_writable(output, inputs=corpus.files)
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
