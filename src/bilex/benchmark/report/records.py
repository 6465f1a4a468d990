"""Read the results of single jobs from the files of a benchmark run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bilex.benchmark.report.test_words import Answers, TestWord, TestWords
from bilex.errors import InputFileError

SCHEMA = 1
"""The version of job files that this code reads."""

NO_ANSWERS = Answers(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int16), ())


@dataclass(frozen=True, slots=True, order=True)
class Direction:
    """A test set with its direction: from the source language to the target language."""

    pair: str
    source: str
    target: str

    @property
    def label(self) -> str:
        """Return a short name for tables: "en→fr", or "muse en→fr" for the pair "muse:en-fr"."""
        arrow = f"{self.source}→{self.target}"
        plain = (f"{self.source}-{self.target}", f"{self.target}-{self.source}", arrow)
        more = next((self.pair.removesuffix(p) for p in plain if self.pair.endswith(p)), self.pair)
        return f"{more.strip(' :')} {arrow}".strip()


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a failed job."""

    kind: str
    message: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """One job: a method trained on one draw of seeds and scored on one test set."""

    key: str
    suite: str
    direction: Direction
    method: str
    seeds: int
    draw: int
    external: bool  # vectors aligned by another tool: scored, not trained
    rules: str  # scoring rules
    written: float  # time of the file, in seconds since 1970
    failure: Failure | None
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    by_spelling: Mapping[str, Mapping[str, int]] = field(default_factory=dict, repr=False)
    """Correct answers by ranker and band of spelling similarity."""
    ranker: str = "csls"  # of the method, which gives the answers
    covered: int | None = None
    total: int | None = None
    answers: Answers = field(default=NO_ANSWERS, repr=False)
    copy_baseline: float | None = None
    identical_share: float | None = None
    leakage_removed: int | None = None
    seed_pairs: int | None = None
    skewness: float | None = None
    share_unreached: float | None = None
    processor_seconds: float | None = None  # of the whole job; None if another tool trained
    fit_seconds: float | None = None
    evaluate_seconds: float | None = None
    peak_memory: int | None = None  # bytes
    threads: int | None = None
    settings: Mapping[str, object] = field(default_factory=dict, repr=False)
    manifest: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def done(self) -> bool:
        """Return whether the job has scores."""
        return self.failure is None


@dataclass(frozen=True, slots=True)
class Results:
    """One record of each job, and the test words of each direction."""

    records: tuple[JobRecord, ...]
    test_words: Mapping[Direction, tuple[TestWord, ...]]
    superseded: int  # files of jobs that were run again with other settings


def read_results(results: Path, keys: Collection[str] | None = None) -> Results:
    """Read the job files of a results folder.

    Args:
        results: The folder that `bilex bench run` wrote.
        keys: Read only these jobs, such as those of the current version of a suite. By default
            all are read, and if the settings of a job were changed, its latest result counts.

    Raises:
        InputFileError: If there is no job file, or one cannot be read.
    """
    folder = results / "jobs"
    if not folder.is_dir():
        raise InputFileError(
            results,
            "has no folder 'jobs': expected a folder of results; give the folder that "
            "`bilex bench run` wrote to",
        )
    paths = sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))
    if keys is not None:
        paths = [path for path in paths if path.stem in keys]
    if not paths:
        raise InputFileError(
            folder, "has no job file: run `bilex bench run` first, or wait for its first job"
        )
    sets: defaultdict[Direction, TestWords] = defaultdict(TestWords)
    records = [_read(path, sets) for path in paths]
    kept = _newest(records)
    words = {direction: tuple(found.entries) for direction, found in sets.items()}
    return Results(kept, words, len(records) - len(kept))


def _newest(records: list[JobRecord]) -> tuple[JobRecord, ...]:
    """Return one record of each job: the latest with scores, or the latest failure."""
    kept: dict[tuple[Direction, str, int, int], JobRecord] = {}
    for record in sorted(records, key=lambda record: (record.done, record.written, record.key)):
        kept[record.direction, record.method, record.seeds, record.draw] = record
    return tuple(sorted(kept.values(), key=lambda record: record.key))


def _read(path: Path, sets: Mapping[Direction, TestWords]) -> JobRecord:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as problem:
        raise InputFileError(
            path, f"is not JSON ({problem}): delete it and run the suite again"
        ) from problem
    found = content.get("schema") if isinstance(content, dict) else None
    if found != SCHEMA:
        raise InputFileError(
            path,
            f"has schema {found!r}, expected {SCHEMA}: it was written by another version of "
            "bilex, or is not the result of a job; delete it and run the suite again",
        )
    try:
        return _record(content, path.stat().st_mtime, sets)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputFileError(
            path,
            f"is not a valid job file ({type(problem).__name__}: {problem}): delete it and run the "
            "suite again",
        ) from problem


def _record(
    content: Mapping[str, Any], written: float, sets: Mapping[Direction, TestWords]
) -> JobRecord:
    job = content["job"]
    direction = Direction(str(job["pair"]), str(job["source"]), str(job["target"]))
    common: dict[str, Any] = {
        "key": str(content["key"]),
        "suite": str(content.get("suite") or ""),
        "direction": direction,
        "method": str(job["method"]),
        "seeds": int(job["seeds"]),
        "draw": int(job["draw"]),
        "external": bool(content.get("external")),
        "rules": str((content.get("protocol") or {}).get("name") or ""),
        "written": written,
        "settings": content.get("settings") or {},
        "manifest": content.get("manifest") or {},
    }
    if content["status"] != "done":
        return JobRecord(**common, failure=_failure(content.get("error") or {}))
    coverage = content.get("coverage") or {}
    hubness = content.get("hubness") or {}
    seconds = content.get("seconds") or {}
    return JobRecord(
        **common,
        failure=None,
        scores=_scores(content["scores"]),
        by_spelling=_by_spelling(content["scores"]),
        ranker=_ranker(content),
        covered=coverage.get("covered"),
        total=coverage.get("total"),
        answers=sets[direction].take(content.get("words") or ()),
        copy_baseline=content.get("copy_baseline"),
        identical_share=content.get("identical_share"),
        leakage_removed=content.get("leakage_removed"),
        seed_pairs=content.get("seed_pairs"),
        skewness=hubness.get("skewness"),
        share_unreached=hubness.get("share_unreached"),
        processor_seconds=None if common["external"] else seconds.get("processor"),
        fit_seconds=seconds.get("fit"),
        evaluate_seconds=seconds.get("evaluate"),
        peak_memory=content.get("peak_memory"),
        threads=content.get("threads"),
    )


def _failure(error: Mapping[str, Any]) -> Failure:
    return Failure(
        kind=str(error.get("type") or "unknown"),
        message=str(error.get("message") or ""),
        traceback=str(error.get("traceback") or ""),
    )


def _ranker(content: Mapping[str, Any]) -> str:
    """Return the ranker of the method, or the first ranker with scores."""
    scored = sorted(content["scores"])
    found = str(content.get("ranker") or "csls")
    return found if found in scored or not scored else scored[0]


def _scores(scores: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        ranker: {name: float(v) for name, v in values.items() if isinstance(v, int | float)}
        for ranker, values in scores.items()
    }


def _by_spelling(scores: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return the correct answers of each ranker by band of spelling similarity, where stored."""
    return {
        ranker: {
            band: round(found["p_at_1"] * found["n"])
            for band, found in values["by_spelling"].items()
        }
        for ranker, values in scores.items()
        if "by_spelling" in values
    }
