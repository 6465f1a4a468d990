"""`bilex evaluate`: how good is a model on pairs it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_lemmas, load_lexicon, load_model, match_vocabularies
from bilex.cli.screen import json_result, note, result

if TYPE_CHECKING:
    from bilex.evaluation import Evaluation
    from bilex.model import TrainedModel
    from bilex.values import Lexicon

EXAMPLES = (
    "bilex evaluate en-fr test.tsv",
    "bilex evaluate en-fr test.tsv --lemmas simplemma:fr",
    "bilex evaluate en-fr test.tsv --reverse --json",
)

_BANDS = {
    "0-0.3": "0-0.3 (dissimilar)",
    "0.3-0.7": "0.3-0.7",
    "0.7-1": "0.7-1 (look-alikes)",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, evaluate, *EXAMPLES)


def evaluate(
    model: options.Model,
    gold: Annotated[
        Path,
        typer.Argument(metavar="TEST", help="Word pairs that were not used for training."),
    ],
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Scoring rules of vecmap, muse or xling, or strict (see the documentation).",
        ),
    ] = "vecmap",
    lemmas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|simplemma:LANG",
            help="Also score by lemma: a TSV file with form and lemma of the answers on each line, "
            "or the lemmas of the package simplemma, such as simplemma:fr.",
        ),
    ] = None,
    reverse: options.Reverse = False,
    lowercase: options.Lowercase = False,
    any_case: Annotated[
        bool,
        typer.Option(
            "--any-case",
            help="Use words of TEST that are not in the vocabularies in other upper or lower case. "
            "Scores of published test sets are without it.",
            rich_help_panel=options.READING,
        ),
    ] = False,
    columns: options.Columns = None,
    pair: options.Pair = None,
    unreviewed: options.Unreviewed = False,
    random_state: options.RandomState = 0,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    search: options.Search = "auto",
    as_json: options.Json = False,
) -> None:
    """Measure how many answers of a model are right, on test pairs.

    Prints the scores of each way to rank candidates: by CSLS, by nearest neighbor, and by
    probability if the model is calibrated. P@1 is the share of test words whose first answer is
    right, P@5 and P@10 of those with a right answer among the first 5 or 10; MRR is the mean
    reciprocal rank. P@1 is also given for words that look like their translation and for words
    that do not, and with --lemmas for answers that have the same lemma as a test translation.
    """
    options.use_threads(threads)
    from bilex import evaluation

    chosen = evaluation.resolve_rules(rules)
    known_lemmas = load_lemmas(lemmas)
    lexicon = load_lexicon(
        gold, lowercase=lowercase, columns=columns, unreviewed=unreviewed, pair=pair
    )
    trained = load_model(model, device=device, memory=memory, search=search)
    lexicon = match_vocabularies(
        gold.name, lexicon, trained.source, trained.target, any_case=any_case
    )
    if not any_case and chosen.case == "exact":
        _note_other_case(gold.name, lexicon, trained)
    found = evaluation.evaluate(
        trained,
        lexicon,
        reverse=reverse,
        rules=chosen,
        lemmas=known_lemmas,
        random_state=random_state,
    )
    if as_json:
        json_result(found.to_dict())
        return
    for line in _lines(found):
        result(line)


def _note_other_case(name: str, lexicon: Lexicon, trained: TrainedModel) -> None:
    """Print how many more pairs --any-case would find."""
    from bilex.lexicons import match_words

    found = match_words(lexicon, trained.source, trained.target).other_case.pairs
    if found:
        note(
            f"{name}: {found:,} more pairs are known in other upper or lower case: --any-case "
            "scores them, too"
        )


def _lines(found: Evaluation) -> list[str]:
    width = max(12, *(len(name) + 1 for name in found.scores))
    lines = [
        f"rules {found.rules.name}: {found.covered:,} of {found.total:,} test units "
        f"covered ({found.coverage:.1%}); copying the source word scores "
        f"{found.copy_baseline:.2%}",
        "",
        f"{'':<{width}}{'P@1':>8}{'P@5':>8}{'P@10':>8}{'MRR':>8}  {'95 % of P@1':<18}"
        "P@1 of all units",
    ]
    for name, scores in found.scores.items():
        low, high = scores.p_at_1_interval
        lines.append(
            f"{name:<{width}}{scores.p_at_1:>8.2%}{scores.p_at_5:>8.2%}{scores.p_at_10:>8.2%}"
            f"{scores.mrr:>8.3f}  {f'{low:.2%} to {high:.2%}':<18}"
            f"{scores.p_at_1_uncovered_as_errors:.2%}"
        )
    lines += ["", *_spelling_lines(found, width)]
    if found.lemmas is not None:
        lines += ["", *_lemma_lines(found, width)]
    lines += [
        "",
        f"P@1 ({found.rules.primary}) by frequency of the source word, and by string:",
    ]
    for groups in (found.primary.by_frequency, found.primary.by_string):
        lines += [
            f"  {name:<12}{share.p_at_1:>8.2%}  of {share.n:,}" for name, share in groups.items()
        ]
    return lines


def _spelling_lines(found: Evaluation, width: int) -> Iterator[str]:
    bands = next(iter(found.scores.values())).by_spelling
    heads = [_BANDS[name] for name in bands]
    yield "P@1 by spelling similarity of the source word and its translation, with 95 % intervals:"
    yield _row("", heads, width)
    yield _row("test units", [f"{share.n:,}" for share in bands.values()], width)
    for name, scores in found.scores.items():
        shares = scores.by_spelling.values()
        yield _row(name, [_with_interval(s.p_at_1, s.p_at_1_interval) for s in shares], width)


def _lemma_lines(found: Evaluation, width: int) -> Iterator[str]:
    yield f"P@1 by form and by lemma ({found.lemmas}), with 95 % intervals:"
    yield _row("", ["same form", "same lemma"], width)
    for name, scores in found.scores.items():
        if scores.lemma is not None:
            both = (scores, scores.lemma)
            yield _row(name, [_with_interval(s.p_at_1, s.p_at_1_interval) for s in both], width)


def _row(head: str, cells: Iterable[str], width: int) -> str:
    return (f"{head:<{width}}" + "".join(f"  {cell:<23}" for cell in cells)).rstrip()


def _with_interval(share: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{share:.2%} ({100 * low:.1f} to {100 * high:.1f})"
