"""Which word pairs a job learns from, and which it is tested on.

Seeds are counted in source words, as the files of MUSE and XLING are. What a *draw* is depends
on the `sampling` of the lexicon:

- `random`, the default: words drawn from the largest training file. Draws are alike, so that their
  mean and spread mean something. Within a draw, smaller seeds are part of larger ones.
- `first`: the first words of the largest training file, or the whole file of that size if the
  suite names one: the published seeds, which are the most frequent words. Draws differ in the
  chance of training only.
- `first-then-random`: draw 0 as `first`, all others as `random`. Draw 0 is then of another kind:
  the most frequent words are poorer seeds than words drawn at random.

Seeds as large as the largest file are that file, in every draw. Samples are taken in the
direction of the file, and columns are swapped after that. Training pairs whose source word is
asked in the test are removed at the end, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from bilex.benchmark.suite import LexiconFiles, Translations
from bilex.evaluation import Protocol
from bilex.lexicons import SampleSpec, read_lexicon, sample_lexicon, without_leaks
from bilex.values import Lexicon


@dataclass(frozen=True, slots=True)
class SeedChoice:
    """How the seeds of a job are taken from a training file."""

    template: str
    take: Literal["whole", "first", "random"]
    size: int
    translations: Translations


@dataclass(frozen=True)
class Pairs:
    """What a job learns from and is tested on, in its direction."""

    seeds: Lexicon | None  # None: to be trained without seeds, or not to be trained
    gold: Lexicon
    leakage_removed: int  # training pairs taken out because the test asks their source word


def choose_seeds(files: LexiconFiles, seeds: int, draw: int) -> SeedChoice | None:
    """Return how many words of which file are the seeds; None if there are none."""
    if seeds == 0:
        return None
    largest = files.largest
    at_random = files.sampling == "random" or (files.sampling != "first" and draw > 0)
    if seeds == largest or (seeds in files.train and not at_random):
        return SeedChoice(files.train[seeds], "whole", seeds, files.translations)
    take: Literal["first", "random"] = "random" if at_random else "first"
    return SeedChoice(files.train[largest], take, seeds, files.translations)


def take_seeds(lexicon: Lexicon, choice: SeedChoice, draw: int) -> Lexicon:
    """Take the seeds out of a training lexicon.

    Raises:
        EmptyLexiconError: If it has fewer source words than asked for.
    """
    size = len(lexicon.translations) if choice.take == "whole" else choice.size
    return sample_lexicon(
        lexicon,
        SampleSpec(size, choice.translations),
        rng=torch.Generator().manual_seed(draw),
        order="random" if choice.take == "random" else "given",
    )


def read_pairs(
    train: Path | None,
    test: Path,
    *,
    choice: SeedChoice | None,
    draw: int,
    swapped: bool,
    lowercase: bool,
    protocol: Protocol,
) -> Pairs:
    """Read and sample the pairs of a job.

    Raises:
        LexiconFileError: If a file is damaged.
        EmptyLexiconError: If the training file has too few words.
    """
    gold = _read(test, lowercase)
    gold = gold.reversed() if swapped else gold
    if train is None or choice is None:
        return Pairs(None, gold, 0)
    taken = take_seeds(_read(train, lowercase), choice, draw)
    taken = taken.reversed() if swapped else taken
    seeds = _without_leaks(taken, gold, protocol)
    return Pairs(seeds, gold, len(taken) - len(seeds))


def _without_leaks(seeds: Lexicon, gold: Lexicon, protocol: Protocol) -> Lexicon:
    """Remove what the test asks, compared as the protocol compares words."""
    asked = {protocol.fold(entry.source) for entry in gold.entries}
    leaks = tuple(entry for entry in seeds.entries if protocol.fold(entry.source) in asked)
    return without_leaks(seeds, Lexicon(leaks))


def _read(path: Path, lowercase: bool) -> Lexicon:
    return read_lexicon(path, lowercase=lowercase).lexicon
