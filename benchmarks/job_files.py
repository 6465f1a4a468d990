"""What scripts of many jobs share: seeds, one JSON file a finished job, parts, two commands."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import mean, stdev

import torch

from bilex import EmbeddingSpace, Lexicon, load_embeddings, read_lexicon
from bilex.files import writing


def load_spaces(data: Path, *languages: str) -> dict[str, EmbeddingSpace]:
    """Load vectors/LANGUAGE.vec.gz of each language."""
    return {
        language: load_embeddings(data / "vectors" / f"{language}.vec.gz").space
        for language in languages
    }


def draw_seeds(data: Path, target: str, size: int, draw: int) -> tuple[Lexicon, Lexicon]:
    """Return random pairs of XLING's 5,000 for training to train on, and all others to score."""
    file = data / "dictionaries" / "xling" / f"en-{target}" / "train.5k.tsv"
    pairs = read_lexicon(file).lexicon
    order = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(draw)).tolist()
    seeds, held_out = (
        Lexicon(tuple(pairs.entries[row] for row in rows)) for rows in (order[:size], order[size:])
    )
    return seeds, held_out


def spread(values: list[float], *, sign: str = "") -> str:
    """Return the mean, the standard deviation and how many there are."""
    if not values:
        return "–"
    sd = stdev(values) if len(values) > 1 else math.nan
    return f"{mean(values):{sign}.2f} ± {sd:.2f} ({len(values)})"


def missing_in_part(names: list[str], results: Path, part: str, only: str) -> Iterator[str]:
    """Yield the names that have no result yet, of a part such as 1/2 and with `only` in them.

    What is missing is looked at when its turn comes, so that parts may be started at any time.
    """
    number, count = (int(text) for text in part.split("/"))
    for name in [name for name in names if only in name][number - 1 :: count]:
        if not path_of(name, results).exists():
            yield name


def path_of(name: str, results: Path) -> Path:
    """Return the file of a job."""
    return results / f"{name}.json"


def keep(name: str, results: Path, found: Mapping[str, object]) -> None:
    """Write a result, and show it."""
    with writing(path_of(name, results)) as temporary:
        temporary.write_text(json.dumps(found), encoding="utf-8")
    print(json.dumps(found), flush=True)


def command(
    title: str, run: Callable[[Path, Path, str, str], None], show: Callable[[Path], None]
) -> None:
    """Understand `run DATA RESULTS [--part 1/2] [--only TEXT]` and `show RESULTS`."""
    parser = argparse.ArgumentParser(description=title)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("data", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--part", default="1/1")
    running.add_argument("--only", default="", help="part of a job's name")
    commands.add_parser("show").add_argument("results", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run(options.data, options.results, options.part, options.only)
    else:
        show(options.results)
