"""`bilex glossary`: the terms of a dictionary in a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_lemmas
from bilex.cli.screen import json_result, note, result
from bilex.errors import InputFileError, SettingError

if TYPE_CHECKING:
    from bilex.answers import Translation
    from bilex.glossary import Glossary, GlossaryTerm
    from bilex.lexicons import DictionaryEntry
    from bilex.oov import Lemmas

EXAMPLES = (
    "bilex glossary en-fr article.txt",
    "bilex glossary en-fr.tsv article.txt --prompt --source-language en --target-language fr",
    "bilex glossary en-fr --json --max-terms 20 < article.txt",
)

DEFAULT_PROBABILITY = 0.5

Translate = Callable[[Sequence[str]], "list[Translation]"]


@dataclass(frozen=True)
class _Source:
    """The terms to look for, and what is known of their translations."""

    terms: Sequence[str]
    entries_of: Callable[[Sequence[str]], list[Sequence[DictionaryEntry]]]
    has_probabilities: bool
    languages: tuple[str, str] = ("und", "und")


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, glossary, *EXAMPLES)


def glossary(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL|DICTIONARY",
            help="Model folder, written by `bilex fit`, or a dictionary in any format.",
        ),
    ],
    text: Annotated[
        Path | None,
        typer.Argument(
            metavar="TEXT_FILE", help="Text in UTF-8. Without it, or with -, stdin is read."
        ),
    ] = None,
    max_terms: Annotated[
        int, typer.Option(metavar="N", min=1, help="Print at most N terms, the rarest.")
    ] = 50,
    k: Annotated[
        int, typer.Option("-k", metavar="N", min=1, help="Print N translations of each term.")
    ] = 3,
    min_probability: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=0,
            max=1,
            help="Leave out translations with a smaller probability of being right, except seeds "
            "and reviewed ones. By default 0.5, if there are probabilities.",
        ),
    ] = None,
    similar: Annotated[
        bool,
        typer.Option(
            "--similar/--no-similar",
            help="Also find terms that differ from a word of the text by a usual ending.",
        ),
    ] = True,
    lemmas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|simplemma:LANG",
            help="Also find terms by the lemma of a word: a TSV file with form and lemma on each "
            "line, or the lemmas of the package simplemma, such as simplemma:fr.",
        ),
    ] = None,
    reverse: options.Reverse = False,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Print a text for the prompt of a language model.")
    ] = False,
    as_json: options.Json = False,
    source_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Language of the text, such as en, for --prompt."),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Language of translations, such as fr, for --prompt."),
    ] = None,
) -> None:
    """Find the terms of a dictionary in a text.

    Prints one line for each term, in the order of the text: the term, its forms in the text, how it
    was found, and its translations with their probabilities, separated by tabs. Of several terms
    at the same place, the longest is found. --prompt prints the same for a language model.

    A term is found as it is written (exact), with other capital letters (case), by its lemma
    (lemma), or by a word that differs from it by a usual ending (similar).
    """
    if prompt and as_json:
        raise SettingError("--prompt and --json are two forms of the output: give one of them")
    if not prompt and (source_language is not None or target_language is not None):
        raise SettingError("--source-language and --target-language are for --prompt: add it")
    content = _read(text)
    found = _source(source, k, reverse, min_probability)
    least = DEFAULT_PROBABILITY if found.has_probabilities else 0.0
    if min_probability is not None:
        least = min_probability
    made = _made(found, content, load_lemmas(lemmas), max_terms, k, least, similar)
    if prompt:
        ours = source_language or found.languages[0], target_language or found.languages[1]
        result(made.prompt(*ours), end="")
    else:
        for term in made.terms:
            if as_json:
                json_result(term.to_dict())
            else:
                result(_line(term))
    if not made.terms:
        note("found no term of the dictionary in the text")


def _read(text: Path | None) -> str:
    if text is None or str(text) == "-":
        return sys.stdin.read()
    try:
        return text.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputFileError(text, "is not UTF-8 text: convert it", line=line) from None
    except OSError as error:
        raise InputFileError(text, f"{error.strerror}; expected a text file, or -") from None


def _made(
    source: _Source,
    text: str,
    lemmas: Lemmas | None,
    max_terms: int,
    k: int,
    min_probability: float,
    similar: bool,
) -> Glossary:
    from bilex.glossary import TermIndex, make_glossary

    index = TermIndex(source.terms, lemmas=lemmas)
    rows = sorted({match.row for match in index.find(text, similar=similar)})
    # A model translates many words at once much faster than one by one.
    listed = source.entries_of([index.terms[row] for row in rows])
    entries = dict(zip(rows, listed, strict=True))
    return make_glossary(
        text,
        index,
        entries.__getitem__,
        max_terms=max_terms,
        k=k,
        min_probability=min_probability,
        similar=similar,
    )


def _source(path: Path, k: int, reverse: bool, min_probability: float | None) -> _Source:
    if (path / "config.toml").is_file():
        return _of_model(path, k, reverse, min_probability)
    from bilex.glossary import entries_by_term
    from bilex.lexicons import read_dictionary

    dictionary = read_dictionary(path)
    by_term = entries_by_term(dictionary, reverse=reverse)
    metadata = dictionary.metadata
    languages = metadata.source_language, metadata.target_language
    return _Source(
        tuple(by_term),
        lambda terms: [by_term[term] for term in terms],
        any(entry.probability is not None for entry in dictionary),
        languages[::-1] if reverse else languages,
    )


def _of_model(folder: Path, k: int, reverse: bool, min_probability: float | None) -> _Source:
    from bilex.lexicons import read_lexicon
    from bilex.storage.answer_file import known_answers

    needed = bool(min_probability)
    kept = known_answers(folder, reverse=reverse)
    answer: Translate
    if kept is not None and kept.suffice(k, probabilities=needed):
        words, has_probabilities = kept.words, kept.table.probabilities is not None
        enough = kept

        def answer(terms: Sequence[str]) -> list[Translation]:
            return enough.translate(terms, k=k)
    else:
        from bilex.model import TrainedModel

        model = TrainedModel.load(folder)
        if needed:
            model.require_probabilities(reverse=reverse)
        words = (model.target if reverse else model.source).words
        has_probabilities = model.is_calibrated(reverse=reverse)

        def answer(terms: Sequence[str]) -> list[Translation]:
            return model.translate(terms, k=k, reverse=reverse)

    pairs = folder / "seeds.jsonl"
    seeds: dict[str, tuple[str, ...]] = {}
    if pairs.stat().st_size:
        lexicon = read_lexicon(pairs, unreviewed=True)
        seeds = dict((lexicon.reversed() if reverse else lexicon).translations)
    return _Source(
        words,
        lambda terms: [_entries(found, seeds.get(found.word, ())) for found in answer(terms)],
        has_probabilities,
    )


def _entries(found: Translation, seeds: Sequence[str]) -> list[DictionaryEntry]:
    """Return the candidates of a model as entries, and seeds that are not among them."""
    from bilex.lexicons import DictionaryEntry

    listed = [
        DictionaryEntry(
            found.word,
            candidate.word,
            candidate.probability,
            candidate.score,
            rank,
            origin="seed" if candidate.word in seeds else "induced",
        )
        for rank, candidate in enumerate(found.candidates, start=1)
    ]
    names = {entry.target for entry in listed}
    others = [seed for seed in seeds if seed not in names]
    return listed + [DictionaryEntry(found.word, seed, origin="seed") for seed in others]


def _line(term: GlossaryTerm) -> str:
    targets = ", ".join(map(_target, term.targets))
    cells = (term.term, "; ".join(term.found), term.how, targets)
    return "\t".join(" ".join(cell.split()) for cell in cells)


def _target(entry: DictionaryEntry) -> str:
    chance = entry.probability
    return entry.target if chance is None else f"{entry.target}:{chance:.2f}"
