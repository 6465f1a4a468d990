"""Keep the results of a suite in one file that can be published: without the test words.

    python benchmarks/results/kept_results.py keep RESULTS FILE.jsonl
    python benchmarks/results/kept_results.py restore RESULTS FILE.jsonl

`keep` adds the finished jobs of a results folder to a file, one a line, and replaces older ones of
the same suite, pair, seeds, method and draw. The file has the rank of the right answer to each test
word. It has no words, answers and probabilities, since some dictionaries may not be copied.

`restore` writes the lines as job files again, for `bilex bench report` or for a run that continues
from them. Test words come from a finished job of the same pair and files in the results folder: run
the method `procrustes` first, which takes seconds. Lines without ranks cannot be restored; they are
for `benchmarks/studies/show.py` only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bilex.jobs import ResultStore
from bilex.storage.files import writing

Job = dict[str, Any]

_DIGITS = ".123456789abcdefghijklmnopqrstuvwxyz"  # ranks of the right word; a dot for none
_OF_THE_TEST = ("word", "gold", "identical", "frequency_rank", "similarity")  # of all methods


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
    present = _finished(results)
    words = {_test_set(job): job["words"] for job in present}
    known = {job["key"] for job in present}
    missing = [job for job in read(file) if "ranks" in job and job["key"] not in known]
    unknown = {job["job"]["pair"] for job in missing if _test_set(job) not in words}
    if unknown:
        raise SystemExit(
            f"no finished job in {results} has the test words of {', '.join(sorted(unknown))}: "
            "run one first, such as bilex bench run … --only method=procrustes,draw=0"
        )
    store = ResultStore(results)
    for job in missing:
        store.keep(_with_words(job, words[_test_set(job)]))
    print(f"{results}: {len(missing)} jobs restored, {len(known)} were there before")


def read(file: Path) -> list[Job]:
    """Return the jobs of a file; none if it does not exist yet."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _finished(results: Path) -> list[Job]:
    return [job for job in ResultStore(results).read() if job["status"] == "done"]


def _name(job: Job) -> tuple[str, str, int, str, int]:
    about = job["job"]
    return job["suite"], about["pair"], about["seeds"], about["method"], about["draw"]


def _test_set(job: Job) -> tuple[object, ...]:
    """Return what determines the test words of a job and their order."""
    about, hashes = job["job"], job["manifest"]["hashes"]
    files = ("source_vectors", "target_vectors", "test")  # which words are covered depends on all
    drawn = (about["seeds"], about["draw"]) if job.get("held_out") else ()
    return (about["pair"], *(hashes[name] for name in files), *drawn)


def _without_words(job: Job) -> Job:
    ranks = "".join(_DIGITS[row["rank"] or 0] for row in job["words"])
    kept = {name: value for name, value in job.items() if name != "words"} | {"ranks": ranks}
    if "dictionary" in job:
        figures = job["dictionary"].items()
        kept["dictionary"] = {name: value for name, value in figures if name != "sure_errors"}
    return kept


def _with_words(job: Job, words: list[Job]) -> Job:
    ranks = [_DIGITS.index(digit) or None for digit in job["ranks"]]
    rows = [
        {name: row[name] for name in _OF_THE_TEST if name in row} | {"rank": rank, "best": None}
        for row, rank in zip(words, ranks, strict=True)
    ]
    return {name: value for name, value in job.items() if name != "ranks"} | {"words": rows}


if __name__ == "__main__":
    main()
