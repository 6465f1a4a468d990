"""The jobs of a suite, and the key that identifies the result of a job."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bilex.benchmark.seed_pairs import PairFiles, Pairs, SeedChoice, choose_seeds, read_pairs
from bilex.benchmark.suite import LexiconFiles, Method, Suite, Task
from bilex.benchmark.templates import fill, pair_values
from bilex.errors import SettingError
from bilex.evaluation import ScoringRules
from bilex.oov.renaming import SIMPLEMMA
from bilex.storage.hashes import FileHashes

MOST_JOBS = 100_000
"""A larger suite is probably a mistake; its jobs take long even to list."""

SCHEMA = 1
"""Version of the results. A new version changes all keys, so that all jobs are run again."""

KEY_DIGITS = 32


@dataclass(frozen=True, slots=True)
class VectorFile:
    """A file of vectors, and the selection of its words."""

    path: Path
    limit: int | None
    lowercase: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One language pair in one direction, one method and one set of seeds: train and score.

    Attributes:
        suite: The name of the suite.
        lexicon: The name of the lexicon in the suite.
        pair: The name of the test set in results.
        source: The source language.
        target: The target language.
        method: The method to train, or the files of aligned vectors.
        seeds: How many source words to learn from; 0 for none.
        draw: The number of the sample of seeds, and the random state of training.
        vectors: The files of the two languages.
        train: The training file; None if there are no seeds, or if nothing is trained and the
            test set does not depend on the seeds.
        test: The test file.
        choice: How seeds are taken from the training file.
        swapped: Whether the files have the languages of this pair in reverse order.
        rules: The scoring rules.
        held_out: Whether the test set is the part of the test file that is not drawn as seeds.
        wrong: The share of the seeds whose translations are exchanged; None for none.
        lemmas: The lemmas of the target language, a file or "simplemma:LANGUAGE"; None to score
            by form only.
        hashes: Hashes of the input files, by role; empty until they are computed.
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
    rules: ScoringRules
    held_out: bool = False
    wrong: float | None = None
    lemmas: Path | str | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, object]:
        """Return the fields that identify the job in its result."""
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
        if self.train is not None:
            found["train"] = self.train
        if isinstance(self.lemmas, Path):
            found["lemmas"] = self.lemmas
        return found

    @property
    def name(self) -> str:
        """Return the name of the job, independent of its settings."""
        return task_name(self.suite, self.identity)

    @property
    def group(self) -> tuple[str, str]:
        """Return the vector files; jobs with the same files are run together."""
        source, target = self.vectors
        return str(source.path), str(target.path)

    @property
    def kind(self) -> str:
        """Return the method, which determines the duration of a job."""
        return self.method.name

    @property
    def key(self) -> str:
        """Return the hash of everything that determines the result.

        Paths and the name of the suite are not part of it: the same job in another folder or
        suite has the same key.
        """
        if not self.hashes:
            raise SettingError("the files of this job are not hashed: call Job.with_hashes first")
        choice = self.choice
        facts = {
            "schema": SCHEMA,
            "job": self.identity,
            "settings": self.method.tables,
            "start": self.method.start if self.seeds == 0 and self.method.tables else None,
            "seeds": None if choice is None else [choice.take, choice.size, choice.translations],
            "swapped": self.swapped,
            "protocol": asdict(self.rules),  # another name would change all keys
            "words": [[vectors.limit, vectors.lowercase] for vectors in self.vectors],
            "hashes": dict(self.hashes),
            # Only if they are used, so that the keys of other jobs do not change.
            **({"test": "held-out"} if self.held_out else {}),
            **({"wrong": self.wrong} if self.wrong is not None else {}),
            **({"lemmas": self.lemmas} if isinstance(self.lemmas, str) else {}),
        }
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    def with_hashes(self, hashes: FileHashes) -> Job:
        """Return the job with the hashes of its files.

        Raises:
            InputFileError: If a file is missing.
        """
        found = {role: hashes.sha256(path) for role, path in sorted(self.files.items())}
        return dataclasses.replace(self, hashes=found)

    def read_pairs(self) -> Pairs:
        """Read the seed pairs and the test pairs."""
        files = PairFiles(
            train=self.train,
            test=self.test,
            held_out=self.held_out,
            wrong=self.wrong,
            swapped=self.swapped,
            lowercase=self.vectors[0].lowercase,
        )
        return read_pairs(files, choice=self.choice, draw=self.draw, rules=self.rules)


def task_name(suite: object, identity: object) -> str:
    """Return the name of a job, independent of its settings and of the name of its pair."""
    facts = dict(identity) if isinstance(identity, dict) else {}
    facts.pop("pair", None)
    return json.dumps([suite, facts], sort_keys=True)


def expand(suite: Suite, data: Path | None = None) -> list[Job]:
    """Return all jobs of a suite, grouped by language pair.

    Args:
        suite: The suite.
        data: The root folder of the data; replaces that of the suite.

    Raises:
        SettingError: If neither `data` nor the suite has a folder, or there are too many jobs.
    """
    root = suite.data_folder(data)
    count = sum(task.count() for task in suite.tasks)
    if count > MOST_JOBS:
        raise SettingError(
            f"suite {suite.name!r} has {count:,} jobs, more than {MOST_JOBS:,}: use fewer draws, "
            "seeds, methods or pairs, or several suites"
        )
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
    """Return one job; `reverse` is whether the suite lists its pair in the other direction."""
    source, target = pair
    swapped = reverse and lexicon.reverse == "swap"
    languages = pair_values(target, source) if swapped else pair_values(source, target)
    trained, held_out = method.tables is not None, lexicon.test is None
    choice = choose_seeds(lexicon, seeds, draw) if trained or held_out else None
    test = lexicon.train[lexicon.largest] if lexicon.test is None else lexicon.test
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
        test=root / fill(test, languages),
        choice=choice,
        swapped=swapped,
        rules=lexicon.rules,
        held_out=held_out,
        wrong=lexicon.wrong if trained else None,
        lemmas=_lemmas(suite, root, target),
    )


def _lemmas(suite: Suite, root: Path, language: str) -> Path | str | None:
    found = suite.lemmas.get(language)
    if found is None or found.startswith(SIMPLEMMA):
        return found
    return root / fill(found, {"language": language})


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
