"""The seed pairs and the test pairs of a job.

The size of seeds is their number of source words, as in the files of MUSE and XLING. The meaning
of a *draw* depends on the `sampling` of the lexicon:

- `random`, the default: words drawn at random from the largest training file. All draws are alike,
  so their mean and standard deviation are meaningful. Within a draw, smaller sets of seeds are
  part of larger ones.
- `first`: the first words of the largest training file, or the whole file of that size if the
  suite has one. These are the published seeds, the most frequent words. Draws differ only in the
  random state of training.
- `first-then-random`: draw 0 is like `first`, all others are like `random`. Draw 0 is not
  comparable with the others: the most frequent words are worse seeds than random words.

If the size is that of the largest file, every draw is the whole file. Samples are taken in the
direction of the file, and the columns are swapped afterwards. At the end, training pairs whose
source word is a test word are removed and counted.

A lexicon without a test file is tested on the *held-out* pairs: those of the largest training file
whose source words were not drawn. A lexicon with a share of *wrong* seeds exchanges the
translations of that share, so that the wrong seeds are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from bilex.benchmark.suite import LexiconFiles, Translations
from bilex.errors import EmptyLexiconError
from bilex.evaluation import ScoringRules
from bilex.lexicons import SampleSpec, read_lexicon, sample_lexicon, without_leaks
from bilex.values import Lexicon

WrongPairs = frozenset[tuple[str, str]]

_WRONG_STATE = 1_000  # added to the draw, for other random numbers than those of the seeds


@dataclass(frozen=True, slots=True)
class SeedChoice:
    """How the seeds of a job are taken from a training file."""

    template: str
    take: Literal["whole", "first", "random"]
    size: int
    translations: Translations


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFiles:
    """The files with the word pairs of a job, and how they are read.

    Attributes:
        train: The training file; None if there are no seeds.
        test: The test file.
        held_out: Whether the test file is the largest training file, without the seeds.
        wrong: The share of the seeds whose translations are exchanged; None for none.
        swapped: Whether the files have the target language first.
        lowercase: Whether words are lower-cased.
    """

    train: Path | None
    test: Path
    held_out: bool = False
    wrong: float | None = None
    swapped: bool = False
    lowercase: bool = False

    def read(self, path: Path) -> Lexicon:
        """Return the pairs of a file, in the direction of the file."""
        return read_lexicon(path, lowercase=self.lowercase)

    def turned(self, lexicon: Lexicon) -> Lexicon:
        """Return pairs of a file in the direction of the job."""
        return lexicon.reversed() if self.swapped else lexicon


@dataclass(frozen=True)
class Pairs:
    """The seed pairs and test pairs of a job, in its direction."""

    seeds: Lexicon | None  # None if there are no seeds or nothing is trained
    gold: Lexicon
    leakage_removed: int  # training pairs removed because their source word is a test word
    wrong: WrongPairs | None = None  # seeds made wrong; None if the suite makes none wrong


def choose_seeds(files: LexiconFiles, seeds: int, draw: int) -> SeedChoice | None:
    """Return how the seeds are taken from which file; None if there are no seeds."""
    if seeds == 0:
        return None
    largest = files.largest
    at_random = files.sampling == "random" or (files.sampling != "first" and draw > 0)
    if seeds == largest or (seeds in files.train and not at_random):
        return SeedChoice(files.train[seeds], "whole", seeds, files.translations)
    take: Literal["first", "random"] = "random" if at_random else "first"
    return SeedChoice(files.train[largest], take, seeds, files.translations)


def take_seeds(lexicon: Lexicon, choice: SeedChoice, draw: int) -> Lexicon:
    """Return the seeds of a draw from a training lexicon.

    Raises:
        EmptyLexiconError: If it has too few source words.
    """
    size = len(lexicon.translations) if choice.take == "whole" else choice.size
    return sample_lexicon(
        lexicon,
        SampleSpec(size, choice.translations),
        rng=torch.Generator().manual_seed(draw),
        order="random" if choice.take == "random" else "given",
    )


def read_pairs(
    files: PairFiles, *, choice: SeedChoice | None, draw: int, rules: ScoringRules
) -> Pairs:
    """Read and sample the pairs of a job.

    Raises:
        LexiconFileError: If a file is damaged.
        EmptyLexiconError: If the training file has too few words.
    """
    gold = files.read(files.test)
    if files.train is None or choice is None:
        return Pairs(None, files.turned(gold), 0)
    known = files.read(files.train)
    taken = take_seeds(known, choice, draw)
    if files.held_out:
        gold = _held_out(gold, taken, files.test)
    gold, taken, known = (files.turned(pairs) for pairs in (gold, taken, known))
    seeds = _without_leaks(taken, gold, rules)
    removed = len(taken) - len(seeds)
    if files.wrong is None:
        return Pairs(seeds, gold, removed)
    spoiled, wrong = exchange_translations(seeds, files.wrong, known=known, draw=draw)
    return Pairs(spoiled, gold, removed, wrong)


def exchange_translations(
    seeds: Lexicon, share: float, *, known: Lexicon, draw: int
) -> tuple[Lexicon, WrongPairs]:
    """Exchange the translations of a share of the seeds.

    Args:
        seeds: All seeds.
        share: The share of seeds to change, from 0 to 1.
        known: Correct pairs, including the seeds.
        draw: The same draw changes the same seeds.

    Returns:
        The seeds in the same order, and the pairs among them that are wrong now. Exchanged pairs
        that are correct by chance are not included.
    """
    rng = torch.Generator().manual_seed(_WRONG_STATE + draw)
    rows = torch.randperm(len(seeds), generator=rng)[: round(share * len(seeds))].tolist()
    entries = list(seeds.entries)
    for row, other in zip(rows, [*rows[1:], *rows[:1]], strict=True):
        entries[row] = entries[row]._replace(target=seeds.entries[other].target)
    right = {(entry.source, entry.target) for entry in known.entries}
    found = frozenset((entry.source, entry.target) for entry in entries)
    return Lexicon(tuple(entries)), found - right


def _held_out(pairs: Lexicon, seeds: Lexicon, path: Path) -> Lexicon:
    """Return the pairs whose source words are not seeds."""
    found = without_leaks(pairs, seeds, any_case=False)
    if not len(found):
        raise EmptyLexiconError(
            f"{path}: all source words are seeds, so none is left for the test: "
            "use fewer seeds, or give a test file"
        )
    return found


def _without_leaks(seeds: Lexicon, gold: Lexicon, rules: ScoringRules) -> Lexicon:
    """Remove pairs whose source word is a test word, compared by the scoring rules."""
    tested = {rules.fold(entry.source) for entry in gold.entries}
    leaks = tuple(entry for entry in seeds.entries if rules.fold(entry.source) in tested)
    return without_leaks(seeds, Lexicon(leaks), any_case=False)
