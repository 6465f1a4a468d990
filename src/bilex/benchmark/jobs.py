"""The jobs of a suite, and the key that tells whether one was done before."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bilex.benchmark.file_hashes import FileHashes
from bilex.benchmark.seed_pairs import Pairs, SeedChoice, choose_seeds, read_pairs
from bilex.benchmark.suite import LexiconFiles, Method, Suite, Task
from bilex.benchmark.templates import fill, pair_values
from bilex.errors import SettingError
from bilex.evaluation import Protocol

SCHEMA = 1
"""Raised when results change in form or in meaning, so that older ones are made anew."""

KEY_DIGITS = 32


@dataclass(frozen=True, slots=True)
class VectorFile:
    """A file of vectors, and which of its words are used."""

    path: Path
    limit: int | None
    lowercase: bool


HashedVectors = tuple[VectorFile, str]
"""A file of vectors as it is now: a changed file is another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One pair in one direction, one method, one set of seeds: a model to train and score.

    Attributes:
        suite: The name of the suite it comes from.
        lexicon: The name of the lexicon in the suite.
        pair: What results call the test set.
        source: The source language.
        target: The target language.
        method: What is trained, or where aligned vectors are.
        seeds: How many source words to learn from; 0 for none.
        draw: Which sample of seeds, and the random state of training.
        vectors: The files of the two languages.
        train: The training file; None if there are no seeds or nothing is trained.
        test: The test file.
        choice: How seeds are taken from the training file.
        swapped: Whether the files hold this pair the other way round.
        protocol: The rules of scoring.
        hashes: Of the input files, by role; empty until they are known.
    """

    suite: str
    lexicon: str
    pair: str
    source: str
    target: str
    method: Method
    seeds: int
    draw: int
    vectors: tuple[VectorFile, VectorFile]
    train: Path | None
    test: Path
    choice: SeedChoice | None
    swapped: bool
    protocol: Protocol
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, object]:
        """Return what a result calls the job."""
        return {
            "pair": self.pair,
            "source": self.source,
            "target": self.target,
            "method": self.method.name,
            "seeds": self.seeds,
            "draw": self.draw,
            "lexicon": self.lexicon,
        }

    @property
    def files(self) -> dict[str, Path]:
        """Return the input files by role."""
        source, target = self.vectors
        found = {"source_vectors": source.path, "target_vectors": target.path, "test": self.test}
        return found if self.train is None else {**found, "train": self.train}

    @property
    def hashed_vectors(self) -> tuple[HashedVectors, HashedVectors]:
        """Return the vector files of both languages, each with the hash of what is in it."""
        source, target = self.vectors
        return (source, self.hashes["source_vectors"]), (target, self.hashes["target_vectors"])

    @property
    def key(self) -> str:
        """Return the hash of everything that determines the result.

        Paths and the name of the suite are no part of it: a job moved elsewhere, or wanted by a
        second suite, is the same job.
        """
        if not self.hashes:
            raise SettingError("the files of this job were not hashed: use Job.with_hashes first")
        choice = self.choice
        facts = {
            "schema": SCHEMA,
            "job": self.identity,
            "settings": self.method.tables,
            "start": self.method.start if self.seeds == 0 and self.method.tables else None,
            "seeds": None if choice is None else [choice.take, choice.size, choice.translations],
            "swapped": self.swapped,
            "protocol": asdict(self.protocol),
            "words": [[vectors.limit, vectors.lowercase] for vectors in self.vectors],
            "hashes": dict(self.hashes),
        }
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    def with_hashes(self, hashes: FileHashes) -> Job:
        """Return the job with the hashes of its files.

        Raises:
            InputFileError: If one of them is missing.
        """
        found = {role: hashes.sha256(path) for role, path in sorted(self.files.items())}
        return dataclasses.replace(self, hashes=found)

    def read_pairs(self) -> Pairs:
        """Read the word pairs to learn from and to be tested on."""
        return read_pairs(
            self.train,
            self.test,
            choice=self.choice,
            draw=self.draw,
            swapped=self.swapped,
            lowercase=self.vectors[0].lowercase,
            protocol=self.protocol,
        )


def expand(suite: Suite, data: Path | None = None) -> list[Job]:
    """Return all jobs of a suite, those of one language pair together.

    Args:
        suite: What to run.
        data: The folder that paths start from, instead of the suite's own.

    Raises:
        SettingError: If neither names a folder.
    """
    root = suite.data_folder(data)
    jobs = [job for task in suite.tasks for job in _task_jobs(suite, task, root)]
    distinct = {json.dumps(job.identity): job for job in jobs}
    groups: dict[tuple[str, str], list[Job]] = {}
    for job in distinct.values():
        groups.setdefault((job.source, job.target), []).append(job)
    return [job for group in groups.values() for job in group]


def _task_jobs(suite: Suite, task: Task, root: Path) -> Iterator[Job]:
    for source, target, reverse in task.directed_pairs():
        for seeds in task.seeds:
            for draw in range(task.draws):
                for method in task.methods:
                    yield make_job(
                        suite,
                        root,
                        suite.lexicons[task.lexicon],
                        suite.methods[method],
                        (source, target),
                        reverse=reverse,
                        seeds=seeds,
                        draw=draw,
                    )


def make_job(
    suite: Suite,
    root: Path,
    lexicon: LexiconFiles,
    method: Method,
    pair: tuple[str, str],
    *,
    reverse: bool,
    seeds: int,
    draw: int,
) -> Job:
    """Return one job; `reverse` says that the suite lists its pair the other way round."""
    source, target = pair
    swapped = reverse and lexicon.reverse == "swap"
    languages = pair_values(target, source) if swapped else pair_values(source, target)
    choice = choose_seeds(lexicon, seeds, draw) if method.tables is not None else None
    return Job(
        suite=suite.name,
        lexicon=lexicon.name,
        pair=suite.pair_name(lexicon.name, source, target),
        source=source,
        target=target,
        method=method,
        seeds=seeds,
        draw=draw,
        vectors=_vector_files(suite, root, method, pair, seeds, draw),
        train=None if choice is None else root / fill(choice.template, languages),
        test=root / fill(lexicon.test, languages),
        choice=choice,
        swapped=swapped,
        protocol=lexicon.protocol,
    )


def _vector_files(
    suite: Suite, root: Path, method: Method, pair: tuple[str, str], seeds: int, draw: int
) -> tuple[VectorFile, VectorFile]:
    if method.aligned is not None:
        values = {**pair_values(*pair), "seeds": seeds, "draw": draw}
        names = [fill(template, values) for template in method.aligned]
    else:
        templates = [suite.vectors.get(word, suite.vectors.get("default", "")) for word in pair]
        names = [
            fill(template, {"language": word})
            for template, word in zip(templates, pair, strict=True)
        ]
    first, second = (VectorFile(root / name, suite.limit, suite.lowercase) for name in names)
    return first, second
