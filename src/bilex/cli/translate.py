"""`bilex translate`: words in, their best translations out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.unknown_words import choose_spellers, tell

if TYPE_CHECKING:
    from bilex.values import Candidate, Translation

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
    lemmas: Annotated[
        Path | None,
        typer.Option(help="Look other words up by their lemma: a TSV of form and lemma."),
    ] = None,
    any_case: Annotated[
        bool, typer.Option("--any-case", help="Look other words up in another case.")
    ] = False,
    compose: Annotated[
        bool,
        typer.Option("--compose", help="Join or compose terms of several words, as 'hot dog'."),
    ] = False,
    subwords: Annotated[
        Path | None,
        typer.Option(help="Spell other words by the fastText .bin of the language asked in."),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="With the probability of being right, as maison:0.93."
        ),
    ] = False,
    device: options.Device = "cpu",
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Print each word and its best translations, tab-separated, best first.

    A calibrated model orders them by the probability of being right; --probabilities and --json
    tell it.

    Words outside the vocabulary have none, unless one of --lemmas, --any-case, --compose and
    --subwords, tried in this order, finds a vector for them. What was found is told on stderr
    and by --json.
    """
    from bilex.inducer import LexiconInducer

    inducer = LexiconInducer.load(model, device=device, memory=options.memory_bytes(memory))
    if probabilities:
        inducer.require_probabilities(reverse=reverse)
    vocabulary = inducer.vocabulary(reverse=reverse)
    spellers = choose_spellers(
        vocabulary, lemmas=lemmas, any_case=any_case, compose=compose, subwords=subwords
    )
    queries = words or [line.rstrip("\r\n") for line in sys.stdin if line.strip()]
    results = inducer.translate(queries, k=k, reverse=reverse, spellers=spellers)
    if as_json:
        typer.echo(json.dumps([_plain(result) for result in results], ensure_ascii=False))
    else:
        for result in results:
            shown = [_shown(one, probabilities) for one in result.candidates]
            typer.echo("\t".join([result.word, *shown]))
    for result in results:
        tell(result, vocabulary.space.index)


def _shown(candidate: Candidate, probabilities: bool) -> str:
    if not probabilities or candidate.probability is None:
        return candidate.word
    return f"{candidate.word}:{candidate.probability:.2f}"


def _plain(result: Translation) -> dict[str, object]:
    return {
        "word": result.word,
        "how": result.how,
        "parts": list(result.parts),
        "missing": list(result.missing),
        "candidates": [
            {
                "word": candidate.word,
                "score": round(candidate.score, 6),
                "probability": candidate.probability and round(candidate.probability, 6),
            }
            for candidate in result.candidates
        ],
    }
