"""The content of a suite: the vectors, word pairs, seeds and methods of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bilex.errors import SettingError

if TYPE_CHECKING:  # both import torch, which listing suites does not need
    from bilex.config import Tables
    from bilex.evaluation import ScoringRules

Sampling = Literal["first", "random", "first-then-random"]
Translations = Literal["all", "unique"]
Reverse = Literal["swap", "own"]
Directions = Literal["forward", "reverse", "both"]


@dataclass(frozen=True, slots=True)
class Method:
    """A method to compare: settings for training, or vectors aligned by another tool.

    Attributes:
        name: The name in results.
        tables: The settings of every part, with defaults; None if nothing is trained.
        start: How to find a first map without seed pairs.
        aligned: Path templates of two files of aligned vectors, if nothing is trained.
    """

    name: str
    tables: Tables | None = None
    start: str = "auto"
    aligned: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LexiconFiles:
    """The files of training and test pairs, and how they are used.

    Attributes:
        name: The name in results.
        train: Path templates of training files by their number of source words; the key None is
            for a file of undeclared size, from which only samples are taken.
        test: Path template of the test file; None if the test set is the held-out part of the
            largest training file.
        rules: The scoring rules.
        reverse: The files of the reverse direction: "swap" exchanges the columns of the same
            files; "own" uses the files whose name has the languages exchanged.
        translations: "all" keeps every translation of a seed word, "unique" the first.
        sampling: How seeds are chosen: see `bilex.benchmark.seed_pairs`.
        wrong: The share of the seeds whose translations are exchanged; None for none.
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
    """A block of jobs: all combinations of the listed pairs, seeds, draws and methods."""

    lexicon: str
    pairs: tuple[tuple[str, str], ...]
    directions: Directions
    seeds: tuple[int, ...]
    draws: int
    methods: tuple[str, ...]

    def directed_pairs(self) -> list[tuple[str, str, bool]]:
        """Return source, target, and whether that is the reverse direction of a listed pair."""
        found = []
        for source, target in self.pairs:
            if self.directions != "reverse":
                found.append((source, target, False))
            if self.directions != "forward":
                found.append((target, source, True))
        return found

    def count(self) -> int:
        """Return the number of jobs."""
        return len(self.directed_pairs()) * len(self.seeds) * self.draws * len(self.methods)


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark as data.

    Attributes:
        name: The name of its file.
        description: The purpose, in a line.
        root: The root folder of the data; None for a suite of bilex whose data must be given by
            the user.
        limit: How many words of each vector file are used; None for all.
        lowercase: Whether vectors and lexicons are lower-cased.
        vectors: Path templates of vector files by language; `default` is for all others.
        lemmas: Lemmas of target languages that are scored by lemma, too: path templates, or
            "simplemma:LANGUAGE".
        lexicons: The lexicons, by name.
        methods: The methods, by name.
        tasks: The blocks of jobs to run.
    """

    name: str
    description: str
    root: Path | None
    limit: int | None
    lowercase: bool
    vectors: Mapping[str, str]
    lemmas: Mapping[str, str]
    lexicons: Mapping[str, LexiconFiles]
    methods: Mapping[str, Method]
    tasks: tuple[Task, ...]

    def data_folder(self, chosen: Path | None) -> Path:
        """Return the root folder of the data: `chosen`, or that of the suite.

        Raises:
            SettingError: If there is neither.
        """
        folder = chosen if chosen is not None else self.root
        if folder is None:
            raise SettingError(
                f"suite {self.name!r} has no data folder: give the folder with --data"
            )
        return folder

    def pair_name(self, lexicon: str, source: str, target: str) -> str:
        """Return the name of a test set: the languages, and the lexicon if there are several.

        "en-fr", but "muse:en-ru" if the suite also has the pair "en-ru" in another lexicon.
        """
        pairs = {(source, target), (target, source)}
        lexicons = {task.lexicon for task in self.tasks if pairs & set(task.pairs)}
        languages = f"{source}-{target}"
        return languages if lexicons <= {lexicon} else f"{lexicon}:{languages}"
