"""`bilex translate`: words in, their best translations out."""

from __future__ import annotations

import json
import sys
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, screen
from bilex.cli.screen import note
from bilex.storage.answer_file import known_answers

if TYPE_CHECKING:
    from bilex.answers import Candidate, Translation

EXAMPLE = "Example: `bilex translate en-fr house dog -k 3`, or `bilex translate en-fr < words.txt`"

_FOUND = {
    "lemma": "lemma",
    "case": "in another case:",
    "joined": "written as",
    "composed": "composed of",
    "subwords": "made of subwords",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(translate)


def translate(
    model: options.Model,
    words: Annotated[
        list[str] | None, typer.Argument(help="Read from stdin, one a line, if absent.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Candidates for each word.")] = 5,
    reverse: options.Reverse = False,
    lemmas: Annotated[
        Path | None,
        typer.Option(help="Look up unknown words by their lemma: a TSV of form and lemma."),
    ] = None,
    any_case: Annotated[
        bool, typer.Option("--any-case", help="Look up unknown words in another case.")
    ] = False,
    compose: Annotated[
        bool,
        typer.Option("--compose", help="Join or compose terms of several words, as 'hot dog'."),
    ] = False,
    subwords: Annotated[
        Path | None,
        typer.Option(help="Make unknown words of subwords: the fastText .bin of their language."),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="With the probability of being right, as maison:0.93."
        ),
    ] = False,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Print each word and its best translations, tab-separated, best first.

    A calibrated model orders them by the probability of being right; --probabilities and --json
    show it.

    Words outside the vocabulary have no translation, unless one of --lemmas, --any-case, --compose
    and --subwords, tried in this order, finds a vector for them. How it was found is shown on
    stderr and by --json.
    """
    options.use_threads(threads)
    queries = words or [line.rstrip("\r\n") for line in sys.stdin if line.strip()]
    resolving = bool(lemmas or any_case or compose or subwords)
    known = None if resolving else known_answers(model, reverse=reverse)
    if known is not None and known.suffice(k, probabilities=probabilities):
        results, index = known.translate(queries, k), known.index
    else:
        from bilex.model import TrainedModel
        from bilex.oov import choose_resolvers

        trained = TrainedModel.load(model, device=device, memory=options.memory_bytes(memory))
        if probabilities:
            trained.require_probabilities(reverse=reverse)
        vocabulary = trained.vocabulary(reverse=reverse)
        resolvers = choose_resolvers(
            vocabulary, lemmas=lemmas, any_case=any_case, compose=compose, subwords=subwords
        )
        results = trained.translate(queries, k=k, reverse=reverse, resolvers=resolvers)
        index = vocabulary.space.index
    if as_json:
        screen.result(json.dumps([found.to_dict() for found in results], ensure_ascii=False))
    else:
        for found in results:
            shown = [_shown(one, probabilities) for one in found.candidates]
            screen.result("\t".join([found.word, *shown]))
    for found in results:
        _note_unknown(found, index)


def _shown(candidate: Candidate, probabilities: bool) -> str:
    if not probabilities or candidate.probability is None:
        return candidate.word
    return f"{candidate.word}:{candidate.probability:.2f}"


def _note_unknown(result: Translation, known: Container[str]) -> None:
    """Print how a word outside the vocabulary was found, or why it has no translation."""
    if result.how == "unknown":
        note(f"{result.word!r} is not in the vocabulary of this model{_hint(result, known)}")
    elif result.how != "known":
        parts = " + ".join(repr(part) for part in result.parts)
        found = f"{_FOUND.get(result.how, result.how)} {parts}".strip()
        note(f"{result.word!r} is not in the vocabulary: {found}")


def _hint(result: Translation, known: Container[str]) -> str:
    lower = result.word.lower()
    if result.missing:
        words = ", ".join(repr(word) for word in result.missing)
        return f", and cannot be composed without {words}"
    if lower != result.word and lower in known:
        return f"; {lower!r} is: try --any-case"
    return "; try --compose" if len(result.word.split()) > 1 else ""
