"""`bilex inspect`: check vectors and seeds before training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, screen
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_lexicon, load_space, match_vocabularies
from bilex.cli.places import warn_if_same
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.inspection import LexiconHealth, PairHealth, SpaceHealth

EXAMPLES = ("bilex inspect en.vec", "bilex inspect en.vec fr.vec seeds.tsv")


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, inspect, *EXAMPLES)


def inspect(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Vectors of the source language.")
    ],
    target: Annotated[
        Path | None, typer.Argument(metavar="TARGET", help="Vectors of the target language.")
    ] = None,
    seeds: Annotated[Path | None, typer.Argument(metavar="SEEDS", help="Word pairs.")] = None,
    limit: options.Limit = None,
    lowercase: options.Lowercase = False,
    exact_case: options.ExactCase = False,
    columns: options.Columns = None,
    languages: options.Pair = None,
    unreviewed: options.Unreviewed = False,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    as_json: options.Json = False,
) -> None:
    """Check vectors and seed pairs before training.

    Prints what the files contain, and what to fix (lines that start with →).
    """
    from bilex.inspection import inspect_lexicon, inspect_pair, inspect_space

    if exact_case and seeds is None:
        raise SettingError("--exact-case is for a file of seeds: give one")
    folder = options.cache_folder(cache, no_cache)
    lexicon = None
    if seeds is not None:
        lexicon = load_lexicon(
            seeds, lowercase=lowercase, columns=columns, unreviewed=unreviewed, pair=languages
        )
    paths = [source] if target is None else [source, target]
    if target is not None:
        warn_if_same(source, target, consequence="give the vectors of two languages")
    spaces = [load_space(p, limit=limit, lowercase=lowercase, cache=folder) for p in paths]
    healths = [inspect_space(space) for space in spaces]
    result: dict[str, object] = {
        str(path): health.to_dict() for path, health in zip(paths, healths, strict=True)
    }
    lines = [
        line
        for path, health in zip(paths, healths, strict=True)
        for line in _space(path.name, health)
    ]
    if target is not None:
        pair = inspect_pair(spaces[0], spaces[1])
        result["pair"] = pair.to_dict()
        lines += _pair(pair)
        if lexicon is not None and seeds is not None:
            lexicon = match_vocabularies(
                seeds.name, lexicon, spaces[0], spaces[1], any_case=not exact_case
            )
            seed_health = inspect_lexicon(
                lexicon, spaces[0], spaces[1], pair=pair, target_health=healths[1]
            )
            left_out = lexicon.report.left_out if lexicon.report is not None else ()
            result["seeds"] = {
                **seed_health.to_dict(),
                "left_out": [row._asdict() for row in left_out],
            }
            lines += _seeds(seed_health)
    if as_json:
        screen.json_result(result)
    else:
        screen.result("\n".join(lines))


def _space(name: str, health: SpaceHealth) -> Iterator[str]:
    geometry, shapes, hubs = health.geometry, health.shapes, health.hubness
    scripts = ", ".join(f"{script.capitalize()} {share:.0%}" for script, share in shapes.scripts)
    yield f"{name}: {health.words:,} words × {health.dim} dimensions"
    yield f"  words       {health.duplicates:,} repeated; scripts: {scripts or 'none'}"
    yield (
        f"              capitals {shapes.with_capitals:.1%}, terms of several words "
        f"{shapes.multi_word:.1%}, numerals {shapes.numerals:.1%}, "
        f"punctuation {shapes.punctuation:.1%}"
    )
    yield (
        f"  vectors     {geometry.zero_vectors:,} zero; lengths {geometry.shortest:.2f} to "
        f"{geometry.longest:.2f}, median {geometry.median:.2f}"
    )
    yield (
        f"  directions  mean {geometry.mean_vector_length:.2f} of 1, first component "
        f"{geometry.top_component_share:.1%}, effectively {geometry.effective_dimensions:.0f} "
        "dimensions"
    )
    if hubs is not None:
        yield (
            f"  hubs        skewness {hubs.skewness:.2f}; {hubs.largest_word!r} is a neighbor of "
            f"{hubs.largest:,} words; {hubs.never_chosen_share:.0%} of words are no word's nearest "
            "neighbor"
        )
    yield from _notes(health.notes)


def _pair(pair: PairHealth) -> Iterator[str]:
    yield "both languages:"
    yield (
        f"  words       {pair.identical:,} identical strings ({pair.identical_share:.1%} of the "
        f"smaller), {pair.common_numerals:,} of them numerals"
    )
    if pair.identical_examples:
        yield f"              such as {', '.join(pair.identical_examples[:6])}"
    if pair.spectral_distance is not None:
        yield f"  spectra     distance {pair.spectral_distance:.2f} (0: equal)"
    yield from _notes(pair.notes)


def _seeds(health: LexiconHealth) -> Iterator[str]:
    found = health.coverage
    yield f"seeds: {found.kept:,} of {found.pairs:,} pairs usable ({found.share:.0%})"
    yield (
        f"  not usable  source word unknown {found.source_missing:,}, target word unknown "
        f"{found.target_missing:,}, both {found.both_missing:,}, repeated {found.duplicates:,}"
    )
    for band in health.bands:
        yield (
            f"  ranks       {band.first:,} to {band.last:,}: {band.source_pairs:,} source words, "
            f"{band.target_pairs:,} target words"
        )
    if health.relational_similarity is not None:
        yield f"  agreement   of vectors with pairs {health.relational_similarity:.2f} of 1"
    yield f"  difficulty  {health.difficulty.level}: {'; '.join(health.difficulty.reasons)}"
    yield from _notes(health.notes)


def _notes(notes: tuple[str, ...]) -> Iterator[str]:
    for text in notes:
        yield f"  → {text}"
