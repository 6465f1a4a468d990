"""The content of a suite: the vectors, word pairs, seeds and methods of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bilex.config import Tables
from bilex.errors import SettingError
from bilex.evaluation import ScoringRules

Sampling = Literal["first", "random", "first-then-random"]
Translations = Literal["all", "unique"]
Reverse = Literal["swap", "own"]
Directions = Literal["forward", "reverse", "both"]


@dataclass(frozen=True, slots=True)
class Method:
    """Something to be compared: settings to train with, or vectors aligned elsewhere.

    Attributes:
        name: How results call it.
        tables: The settings of every part, defaults filled in; None if nothing is trained.
        start: How to begin without seed pairs.
        aligned: Templates of the paths of two files of aligned vectors, if nothing is trained.
    """

    name: str
    tables: Tables | None = None
    start: str = "auto"
    aligned: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LexiconFiles:
    """Where the pairs to learn from and to be tested on are, and how they are used.

    Attributes:
        name: How results call them.
        train: Templates of training files by how many source words they stand for; None for
            a file of which only samples are taken.
        test: Template of the test file; None if the test set is the held-out part of the largest
            training file.
        rules: The rules of scoring.
        reverse: How the other direction is made: "swap" exchanges the columns of the same
            files, "own" takes the files whose name has the languages exchanged.
        translations: "all" keeps every translation of a seed word, "unique" the first.
        sampling: Which words seeds are: see `bilex.benchmark.seed_pairs`.
        wrong: The share of the seeds that get each other's translations; None for none.
    """

    name: str
    train: Mapping[int | None, str]
    test: str | None
    rules: ScoringRules
    reverse: Reverse = "swap"
    translations: Translations = "all"
    sampling: Sampling = "random"
    wrong: float | None = None

    @property
    def largest(self) -> int | None:
        """Return the size of the largest training file; None if it is not declared."""
        return max((size for size in self.train if size is not None), default=None)


@dataclass(frozen=True, slots=True)
class Task:
    """A block of jobs: everything listed here combined with everything else."""

    lexicon: str
    pairs: tuple[tuple[str, str], ...]
    directions: Directions
    seeds: tuple[int, ...]
    draws: int
    methods: tuple[str, ...]

    def directed_pairs(self) -> list[tuple[str, str, bool]]:
        """Return source, target, and whether that is the other direction of a listed pair."""
        found = []
        for source, target in self.pairs:
            if self.directions != "reverse":
                found.append((source, target, False))
            if self.directions != "forward":
                found.append((target, source, True))
        return found

    def count(self) -> int:
        """Return how many jobs it stands for."""
        return len(self.directed_pairs()) * len(self.seeds) * self.draws * len(self.methods)


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark as data.

    Attributes:
        name: The name of its file.
        description: What it is for.
        root: The folder that paths start from; None for a suite that comes with bilex, whose
            data only the user can name.
        limit: How many words of each vector file are kept; None for all.
        lowercase: Whether vectors and lexicons are lower-cased.
        vectors: Templates of vector files by language; `default` stands for all others.
        lexicons: By name.
        methods: By name.
        tasks: What to run.
    """

    name: str
    description: str
    root: Path | None
    limit: int | None
    lowercase: bool
    vectors: Mapping[str, str]
    lexicons: Mapping[str, LexiconFiles]
    methods: Mapping[str, Method]
    tasks: tuple[Task, ...]

    def data_folder(self, chosen: Path | None) -> Path:
        """Return the folder that paths start from: the one chosen, or else the suite's own.

        Raises:
            SettingError: If there is neither.
        """
        folder = chosen if chosen is not None else self.root
        if folder is None:
            raise SettingError(
                f"suite {self.name!r} does not say where the data are: give the folder with --data"
            )
        return folder

    def pair_name(self, lexicon: str, source: str, target: str) -> str:
        """Return what results call a test set: the languages, and the lexicon if that could be two.

        "en-fr", but "muse:en-ru" if the suite has the pair "en-ru" in another lexicon as well.
        """
        pairs = {(source, target), (target, source)}
        lexicons = {task.lexicon for task in self.tasks if pairs & set(task.pairs)}
        languages = f"{source}-{target}"
        return languages if lexicons <= {lexicon} else f"{lexicon}:{languages}"
