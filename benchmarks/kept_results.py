"""Results of a suite as a file to publish: how each test word fared, but not which word it was.

    python benchmarks/kept_results.py keep RESULTS FILE
    python benchmarks/kept_results.py restore RESULTS FILE

`keep` adds the finished jobs of a results folder to a file, one a line, in place of older ones of
the same method, pair, seeds and draw. `restore` writes them as job files again, for `bilex bench
report` or for a run to go on from. Words come from a finished job of the same pair and the same
files: one of the method `procrustes`, a few seconds long, will do. What was answered instead of
the right word is not kept.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bilex.files import writing

Job = dict[str, Any]

_DIGITS = ".123456789abcdefghijklmnopqrstuvwxyz"  # ranks of the right word; a dot for none


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=["keep", "restore"])
    parser.add_argument("results", type=Path)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    {"keep": keep, "restore": restore}[options.command](options.results, options.file)


def keep(results: Path, file: Path) -> None:
    kept = {_name(job): job for job in read(file)}
    kept |= {_name(job): _without_words(job) for job in _finished(results)}
    with writing(file) as temporary:
        lines = [json.dumps(kept[name], sort_keys=True) + "\n" for name in sorted(kept)]
        temporary.write_text("".join(lines), encoding="utf-8")
    print(f"{file}: {len(kept)} jobs")


def restore(results: Path, file: Path) -> None:
    there = _finished(results)
    words = {_asked(job): job["words"] for job in there}
    known = {job["key"] for job in there}
    missing = [job for job in read(file) if job["key"] not in known]
    unasked = {job["job"]["pair"] for job in missing if _asked(job) not in words}
    if unasked:
        raise SystemExit(
            f"no finished job in {results} has the words of {', '.join(sorted(unasked))}: run "
            "one first, such as bilex bench run … --only method=procrustes,draw=0"
        )
    for job in missing:
        path = results / "jobs" / f"{job['key']}.json"
        with writing(path) as temporary:
            temporary.write_text(json.dumps(_with_words(job, words[_asked(job)])), "utf-8")
    print(f"{results}: {len(missing)} jobs restored, {len(known)} there before")


def read(file: Path) -> list[Job]:
    """Return the jobs of a file; none if it is not there yet."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _finished(results: Path) -> list[Job]:
    jobs = [json.loads(path.read_text()) for path in sorted((results / "jobs").glob("*.json"))]
    return [job for job in jobs if job["status"] == "done"]


def _name(job: Job) -> tuple[str, int, str, int]:
    about = job["job"]
    return about["pair"], about["seeds"], about["method"], about["draw"]


def _asked(job: Job) -> tuple[str, ...]:
    """Return what tells whether two jobs were asked for the same words."""
    hashes = job["manifest"]["hashes"]
    files = ("source_vectors", "target_vectors", "test")  # which words are covered depends on all
    return (job["job"]["pair"], *(hashes[name] for name in files))


def _without_words(job: Job) -> Job:
    ranks = "".join(_DIGITS[row["rank"] or 0] for row in job["words"])
    return {name: value for name, value in job.items() if name != "words"} | {"ranks": ranks}


def _with_words(job: Job, words: list[Job]) -> Job:
    ranks = [_DIGITS.index(digit) or None for digit in job["ranks"]]
    rows = [row | {"rank": rank, "best": None} for row, rank in zip(words, ranks, strict=True)]
    return {name: value for name, value in job.items() if name != "ranks"} | {"words": rows}


if __name__ == "__main__":
    main()
