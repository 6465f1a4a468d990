"""`bilex evaluate`: how good is a model on pairs it has not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.loading import load_lexicon
from bilex.cli.screen import note

if TYPE_CHECKING:
    from bilex.evaluation import Evaluation

EXAMPLE = "Example: `bilex evaluate en-fr test.tsv --json`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(evaluate)


def evaluate(
    model: Annotated[Path, typer.Argument(help="Folder written by `bilex fit`.")],
    gold: Annotated[Path, typer.Argument(help="Test pairs that were not used for training.")],
    protocol: Annotated[
        str, typer.Option(help="Whose rules: vecmap, muse, xling or strict (see the docs).")
    ] = "vecmap",
    reverse: options.Reverse = False,
    lowercase: options.Lowercase = False,
    random_state: options.RandomState = 0,
    device: options.Device = "cpu",
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Score a model on test pairs: by CSLS, nearest neighbor and probability side by side."""
    import torch

    from bilex import evaluation
    from bilex.inducer import LexiconInducer
    from bilex.lexicons import leakage

    rules = evaluation.resolve_protocol(protocol)
    lexicon = load_lexicon(gold, lowercase=lowercase)
    inducer = LexiconInducer.load(model, device=device, memory=options.memory_bytes(memory))
    seeds = inducer.seeds_
    source, target = inducer.source_, inducer.target_
    if reverse:
        lexicon, seeds, source, target = lexicon.reversed(), seeds.reversed(), target, source
    result = evaluation.evaluate(
        inducer.rankers(reverse=reverse),
        lexicon,
        source.index,
        target.index,
        protocol=rules,
        rng=torch.Generator().manual_seed(random_state),
    )
    leaked = leakage(seeds, lexicon).shared_pairs
    if leaked:
        note(f"warning: {leaked:,} test pairs were also training pairs; these scores flatter")
    if as_json:
        typer.echo(json.dumps({**result.to_dict(), "leaked_pairs": leaked}, ensure_ascii=False))
        return
    for line in _lines(result):
        typer.echo(line)


def _lines(result: Evaluation) -> list[str]:
    lines = [
        f"protocol {result.protocol.name}: {result.covered:,} of {result.total:,} test units "
        f"covered ({result.coverage:.1%}); copying the source word scores "
        f"{result.copy_baseline:.2%}",
        "",
        f"{'':<12}{'P@1':>8}{'P@5':>8}{'P@10':>8}{'MRR':>8}  {'95 % of P@1':<18}P@1 of all units",
    ]
    for name, scores in result.scores.items():
        low, high = scores.p_at_1_interval
        lines.append(
            f"{name:<12}{scores.p_at_1:>8.2%}{scores.p_at_5:>8.2%}{scores.p_at_10:>8.2%}"
            f"{scores.mrr:>8.3f}  {f'{low:.2%} to {high:.2%}':<18}"
            f"{scores.p_at_1_uncovered_as_errors:.2%}"
        )
    lines += [
        "",
        f"P@1 ({result.protocol.primary}) by frequency of the source word, and by string:",
    ]
    for groups in (result.primary.by_frequency, result.primary.by_string):
        lines += [
            f"  {name:<12}{share.p_at_1:>8.2%}  of {share.n:,}" for name, share in groups.items()
        ]
    return lines
