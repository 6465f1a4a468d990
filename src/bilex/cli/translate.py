"""`bilex translate`: words in, their best translations out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, screen
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_model
from bilex.cli.screen import note
from bilex.cli.suggestions import Suggestions
from bilex.cli.word_stream import batches_of_words
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.answers import Candidate, Translation
    from bilex.client import Client
    from bilex.storage.answer_file import KnownAnswers

EXAMPLES = (
    "bilex translate en-fr house dog -k 3",
    "bilex translate en-fr house --probabilities",
    "bilex translate en-fr < words.txt",
    "bilex translate en-fr --json < words.txt",
    "bilex translate en-fr house --url http://127.0.0.1:8000",
)

_UNKNOWN = "Words outside the vocabulary"
_FOUND = {
    "lemma": "translated as its lemma",
    "case": "translated as",
    "joined": "translated as",
    "composed": "composed of",
    "subwords": "vector made from subwords",
    "own": "translated by people",
}

Translate = Callable[[Sequence[str]], "list[Translation]"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, translate, *EXAMPLES)


def translate(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="Model folder, written by `bilex fit`; with --url, the name of a pair, such as "
            "en-fr.",
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD...",
            help="Words to translate. Without any, they are read from stdin, one per line.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", metavar="N", min=1, help="Print N translations of each word.")
    ] = 5,
    reverse: options.Reverse = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Print the probability of being right after each translation, as maison:0.93.",
        ),
    ] = False,
    lemmas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|simplemma:LANG",
            help="Translate the lemma instead: a TSV file with form and lemma on each line, or the "
            "lemmas of the package simplemma, such as simplemma:fr.",
            rich_help_panel=_UNKNOWN,
        ),
    ] = None,
    any_case: Annotated[
        bool,
        typer.Option(
            "--any-case",
            help="Translate the same word in upper or lower case instead.",
            rich_help_panel=_UNKNOWN,
        ),
    ] = False,
    compose: Annotated[
        bool,
        typer.Option(
            "--compose",
            help="Translate terms of several words, such as 'hot dog', from their words.",
            rich_help_panel=_UNKNOWN,
        ),
    ] = False,
    subwords: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Make a vector from subwords: the fastText .bin file of the language.",
            rich_help_panel=_UNKNOWN,
        ),
    ] = None,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    search: options.Search = "auto",
    url: options.Url = None,
    key: options.Key = None,
    as_json: options.Json = False,
) -> None:
    """Translate words.

    Prints one line for each word: the word and its translations, the best first, separated by
    tabs. If the model is calibrated, they are ordered by the probability of being right. Words
    from stdin are answered as they arrive.

    A word outside the vocabulary has no translation, unless --lemmas, --any-case, --compose or
    --subwords, tried in this order, finds a vector for it. A note on stderr and the output of
    --json say how it was found.

    With --url, a service answers, started by `bilex serve`; the output is the same.
    """
    key = options.service_key(key, url)
    if url is not None:
        local = {"--lemmas": lemmas, "--subwords": subwords, "--threads": threads}
        local |= {"--device": device != "cpu", "--memory": memory != options.DEFAULT_MEMORY}
        local |= {"--search": search != "auto"}
        _refuse(option for option, given in local.items() if given)
        from bilex.client import Client

        with Client(url, key=key, pair=str(model)) as client:
            if probabilities:
                _require_probabilities(client, str(model))
            asked = partial(
                client.translate, k=k, reverse=reverse, any_case=any_case, compose=compose
            )
            _answer(words, asked, (), probabilities=probabilities, as_json=as_json)
        return
    options.use_threads(threads)
    resolving = bool(lemmas or any_case or compose or subwords)
    kept = None if resolving else _kept_answers(model, k, reverse, probabilities)
    answer: Translate
    known: Collection[str]
    if kept is not None:
        answer, known = partial(kept.translate, k=k), kept.index
    else:
        from bilex.oov import choose_resolvers

        trained = load_model(model, device=device, memory=memory, search=search)
        if probabilities:
            trained.require_probabilities(reverse=reverse)
        vocabulary = trained.vocabulary(reverse=reverse)
        resolvers = choose_resolvers(
            vocabulary, lemmas=lemmas, any_case=any_case, compose=compose, subwords=subwords
        )
        answer = partial(trained.translate, k=k, reverse=reverse, resolvers=resolvers)
        known = vocabulary.space.index
    _answer(words, answer, known, probabilities=probabilities, as_json=as_json)


def _answer(
    words: list[str] | None,
    answer: Translate,
    known: Collection[str],
    *,
    probabilities: bool,
    as_json: bool,
) -> None:
    """Print the answers to words, or to those that stdin has.

    Args:
        words: The words; None for those of stdin.
        answer: Returns the answers.
        known: The vocabulary, for suggestions; empty if it is not at hand.
        probabilities: Print probabilities.
        as_json: Print JSON.
    """
    suggestions = Suggestions(known)
    for batch in [words] if words else batches_of_words(sys.stdin):
        results = answer(batch)
        _print(results, probabilities=probabilities, as_json=as_json)
        for found in results:
            _note_unknown(found, known, suggestions)


def _refuse(local: Iterable[str]) -> None:
    for option in local:
        raise SettingError(f"{option} is for a model on this computer: leave it out with --url")


def _require_probabilities(client: Client, pair: str) -> None:
    for one in client.models():
        if one.name == pair and not one.calibrated:
            raise SettingError(
                f"the pair {pair} of the service has no probabilities: leave out --probabilities"
            )


def _kept_answers(model: Path, k: int, reverse: bool, probabilities: bool) -> KnownAnswers | None:
    """Return the answers that a model keeps; None if it keeps none, or not enough of them."""
    from bilex.storage.answer_file import known_answers

    found = known_answers(model, reverse=reverse)
    return found if found is not None and found.suffice(k, probabilities=probabilities) else None


def _print(results: Sequence[Translation], *, probabilities: bool, as_json: bool) -> None:
    if as_json:
        for found in results:
            screen.json_result(found.to_dict())
    else:
        for found in results:
            shown = (_shown(one, probabilities) for one in found.candidates)
            screen.result("\t".join(chain([found.word], shown)))
    sys.stdout.flush()


def _shown(candidate: Candidate, probabilities: bool) -> str:
    if not probabilities or candidate.probability is None:
        return candidate.word
    return f"{candidate.word}:{candidate.probability:.2f}"


def _note_unknown(result: Translation, known: Collection[str], suggestions: Suggestions) -> None:
    """Print how a word outside the vocabulary was found, or why it has no translation."""
    if result.how == "unknown":
        hint = _hint(result, known, suggestions)
        note(f"{result.word!r} is not in the vocabulary of this model{hint}")
    elif result.how != "known":
        parts = " + ".join(repr(part) for part in result.parts)
        found = f"{_FOUND.get(result.how, result.how)} {parts}".strip()
        note(f"{result.word!r} is not in the vocabulary: {found}")


def _hint(result: Translation, known: Collection[str], suggestions: Suggestions) -> str:
    lower = result.word.lower()
    if result.missing:
        words = ", ".join(repr(word) for word in result.missing)
        return f", and cannot be composed without {words}"
    if lower != result.word and lower in known:
        return f"; {lower!r} is: try --any-case"
    if len(result.word.split()) > 1:
        return "; try --compose"
    return suggestions.hint(result.word)
