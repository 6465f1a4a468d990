"""`bilex evaluate`: how good is a model on pairs it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_lexicon, match_vocabularies
from bilex.cli.screen import json_result, result

if TYPE_CHECKING:
    from bilex.evaluation import Evaluation

EXAMPLES = (
    "bilex evaluate en-fr test.tsv",
    "bilex evaluate en-fr test.tsv --reverse --json",
)


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
    reverse: options.Reverse = False,
    lowercase: options.Lowercase = False,
    columns: options.Columns = None,
    pair: options.Pair = None,
    unreviewed: options.Unreviewed = False,
    random_state: options.RandomState = 0,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Measure how many answers of a model are right, on test pairs.

    Prints the scores of each way to rank candidates: by CSLS, by nearest neighbor, and by
    probability if the model is calibrated. P@1 is the share of test words whose first answer is
    right, P@5 and P@10 of those with a right answer among the first 5 or 10; MRR is the mean
    reciprocal rank.
    """
    options.use_threads(threads)
    from bilex import evaluation
    from bilex.model import TrainedModel

    chosen = evaluation.resolve_rules(rules)
    lexicon = load_lexicon(
        gold, lowercase=lowercase, columns=columns, unreviewed=unreviewed, pair=pair
    )
    trained = TrainedModel.load(model, device=device, memory=options.memory_bytes(memory))
    lexicon = match_vocabularies(gold.name, lexicon, trained.source, trained.target)
    found = evaluation.evaluate(
        trained, lexicon, reverse=reverse, rules=chosen, random_state=random_state
    )
    if as_json:
        json_result(found.to_dict())
        return
    for line in _lines(found):
        result(line)


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
    lines += [
        "",
        f"P@1 ({found.rules.primary}) by frequency of the source word, and by string:",
    ]
    for groups in (found.primary.by_frequency, found.primary.by_string):
        lines += [
            f"  {name:<12}{share.p_at_1:>8.2%}  of {share.n:,}" for name, share in groups.items()
        ]
    return lines
