"""`bilex translate`: words in, their best translations out."""

from __future__ import annotations

import json
import sys
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.screen import note
from bilex.errors import VectorFileError

if TYPE_CHECKING:
    from bilex.inducer import LexiconInducer

EXAMPLE = "Example: `bilex translate en-fr house dog -k 3`, or `bilex translate en-fr < words.txt`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(translate)


def translate(
    model: Annotated[Path, typer.Argument(help="Folder written by `bilex fit`.")],
    words: Annotated[
        list[str] | None, typer.Argument(help="Read from stdin, one a line, when absent.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Candidates for each word.")] = 5,
    reverse: options.Reverse = False,
    subwords: Annotated[
        Path | None,
        typer.Option(help="fastText .bin of the language asked in, for words not in the model."),
    ] = None,
    device: options.Device = "cpu",
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Print each word and its best translations, tab-separated, best first."""
    from bilex.inducer import LexiconInducer

    inducer = LexiconInducer.load(model, device=device, memory=options.memory_bytes(memory))
    if subwords is not None:
        inducer = _with_subwords(inducer, subwords, reverse)
    queries = words or [line.rstrip("\r\n") for line in sys.stdin if line.strip()]
    results = inducer.translate(queries, k=k, reverse=reverse)
    if as_json:
        rows = [
            {
                "word": result.word,
                "candidates": [
                    {"word": candidate.word, "score": round(candidate.score, 6)}
                    for candidate in result.candidates
                ],
            }
            for result in results
        ]
        typer.echo(json.dumps(rows, ensure_ascii=False))
    else:
        for result in results:
            typer.echo("\t".join([result.word, *(c.word for c in result.candidates)]))
    known = (inducer.target_ if reverse else inducer.source_).index
    for result in results:
        if not result.candidates:
            note(_unknown(result.word, known))


def _with_subwords(inducer: LexiconInducer, path: Path, reverse: bool) -> LexiconInducer:
    from bilex.embeddings import load_embeddings

    subwords = load_embeddings(path, limit=1).space.subwords
    if subwords is None:
        raise VectorFileError(
            path, "holds no subwords: give the .bin file that fastText wrote beside the .vec file"
        )
    return inducer.with_subwords(subwords, reverse=reverse)


def _unknown(word: str, known: Container[str]) -> str:
    lower = word.lower()
    hint = f"; {lower!r} is" if lower != word and lower in known else ""
    return f"{word!r} is not in the vocabulary of this model{hint}"
