"""Measure probabilities on test words, and the dictionaries that are cut by them.

    python benchmarks/studies/calibration.py run DATA RESULTS [--only pair=en-fr,seeds=1000]
    python benchmarks/studies/calibration.py show RESULTS

`run` runs some jobs of the suite `core` like `bilex bench run`: the default method, its first draw,
with 500 seeds or more. It adds a field `dictionary` to each result, since dictionaries can only be
induced with the trained model. `bilex bench run core` into the same folder adds the other jobs.

`show` prints the tables of docs/dictionary/trust.md. "Area" is the area under precision against
coverage, when answers are taken from the most to the least certain one: by CSLS, mutual best pairs
first, by probability.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import torch

from bilex import TrainedModel
from bilex.benchmark import (
    BenchmarkWork,
    FileHashes,
    Finished,
    Job,
    JobEvent,
    JobProgress,
    ResultStore,
    expand,
    filter_jobs,
    load_suite,
    run_jobs,
)
from bilex.benchmark.execution import Inputs
from bilex.candidates.induced_dictionary import InducedDictionary
from bilex.jobs import LocalEngine
from bilex.values import IndexedLexicon, SpacePair, Vector
from compare import settings_of, table_head, table_row
from show import Result, read

METHOD = "bilex"
FEWEST_SEEDS = 500
PRECISIONS = (0.8, 0.9)
SURE = 0.8

Gold = Mapping[int, frozenset[int]]
"""The right target rows of each source row that is a test word."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("data", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--only", action="append", default=[], metavar="FIELD=VALUE,…")
    running.add_argument("--workers", type=int, default=2)
    showing = commands.add_parser("show")
    showing.add_argument("results", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run(options.data, options.results, options.only, options.workers)
    else:
        show(options.results)


def run(data: Path, results: Path, only: Sequence[str], workers: int) -> None:
    hashes = FileHashes()
    chosen = filter_jobs(expand(load_suite("core"), data), only)
    jobs = [job.with_hashes(hashes) for job in chosen if _has_dictionary(job)]
    work = BenchmarkWork(measure=measure_dictionary)
    run_jobs(
        jobs, ResultStore(results), LocalEngine(workers=workers), work=work, on_event=print_end
    )


def _has_dictionary(job: Job) -> bool:
    return job.method.name == METHOD and job.draw == 0 and job.seeds >= FEWEST_SEEDS


def print_end(progress: JobProgress, event: JobEvent) -> None:
    if isinstance(event, Finished):
        problem = (event.result["error"] or {}).get("message", "")
        print(progress.ended, "of", progress.total, event.task.name, problem, flush=True)


def measure_dictionary(model: TrainedModel, inputs: Inputs) -> dict[str, object]:
    """Return how good dictionaries of the model are, measured on the test words in them."""
    model.require_probabilities()
    gold = IndexedLexicon.locate(inputs.pairs.gold, SpacePair(inputs.source, inputs.target)).answers
    whole = model.induce()
    return {
        "dictionary": {
            **_areas(whole, gold),
            "cuts": [_cut(whole, wanted, gold) for wanted in PRECISIONS],
            "f1": {
                "chosen": _f1(whole, gold),
                **{f"top {k}": _f1(whole.cut(k=k), gold) for k in (1, 3)},
            },
            "sure_errors": _sure_errors(whole, gold),
        }
    }


def precision_area(certainty: Vector, right: Vector) -> float:
    """Return the area under precision against coverage, the most certain answer first."""
    order = certainty.sort(descending=True, stable=True).indices
    hits = right[order].double().cumsum(0)
    return float((hits / torch.arange(1, len(hits) + 1)).mean())


def _areas(whole: InducedDictionary, gold: Gold) -> dict[str, float]:
    """Return the area by probability, by CSLS, and with mutual best pairs first."""
    rows = torch.tensor(sorted(gold))
    ids, scores = whole.ranked.ids[rows], whole.ranked.scores[rows]
    listed = zip(rows.tolist(), ids.tolist(), strict=True)
    right = torch.tensor([[i in gold[row] for i in found] for row, found in listed]).float()
    by_score = scores.argmax(1)[:, None]
    best_by_score = right.gather(1, by_score)[:, 0]
    mutual = (whole.ranked.back_ranks[rows].gather(1, by_score)[:, 0] == 1).float()
    probabilities = whole.ranked.probabilities
    assert probabilities is not None
    return {
        "area": precision_area(probabilities[rows, 0], right[:, 0]),
        "area_csls": precision_area(scores.gather(1, by_score)[:, 0], best_by_score),
        "area_mutual": precision_area(mutual, best_by_score),
    }


def _cut(whole: InducedDictionary, wanted: float, gold: Gold) -> dict[str, object]:
    """Cut the dictionary for a precision; return the precision that its test words have."""
    found = whole.cut(min_precision=wanted)
    hits = _hits(found, gold)
    return {
        "wanted": wanted,
        "precision": fmean(hits) if hits else None,
        "test_entries": len(hits),
        "entries": sum(entry.origin == "induced" for entry in found),
    }


def _f1(found: InducedDictionary, gold: Gold) -> float:
    hits = _hits(found, gold)
    return 2 * sum(hits) / (len(hits) + sum(len(ids) for ids in gold.values()))


def _hits(found: InducedDictionary, gold: Gold) -> list[bool]:
    """Return for each entry of a test word whether it is right."""
    right = {
        found.words[row]: {found.targets[target] for target in ids} for row, ids in gold.items()
    }
    return [entry.target in right[entry.source] for entry in found if entry.source in right]


def _sure_errors(whole: InducedDictionary, gold: Gold) -> list[dict[str, object]]:
    """Return first answers of a high probability that are not gold, for people to look at."""
    errors: list[dict[str, object]] = []
    chances = whole.ranked.chances()
    for row, right in gold.items():
        best, probability = int(whole.ranked.ids[row, 0]), chances[row][0] or 0.0
        if probability >= SURE and best not in right:
            errors.append(
                {
                    "word": whole.words[row],
                    "answer": whole.targets[best],
                    "probability": round(probability, 3),
                    "gold": [whole.targets[target] for target in sorted(right)],
                }
            )
    return errors


def show(results: Path) -> None:
    found = [result for result in read(results) if "dictionary" in result]
    settings = sorted(settings_of(found))
    cuts = [
        (f"Precision of a dictionary cut at {wanted}, and its entries", partial(_cut_at, number))
        for number, wanted in enumerate(PRECISIONS)
    ]
    tables: list[tuple[str, Callable[[Result], str]]] = [
        ("Calibration error", _calibration_error),
        *cuts,
        ("F1 of top 1, top 3, chosen number", _f1_scores),
        ("Area by CSLS, mutual, probability", _three_areas),
    ]
    for title, cell in tables:
        print(f"\n## {title}\n")
        pairs = settings[0].pairs
        print(table_head(["Seeds", *pairs]))
        for setting in settings:
            cells = [cell(setting.runs(METHOD, pair)[0]) for pair in pairs]
            print(table_row([setting.name, *cells]))


def _calibration_error(run: Result) -> str:
    return f"{run['calibration_error']:.3f}"


def _cut_at(number: int, run: Result) -> str:
    cut = run["dictionary"]["cuts"][number]
    return "none" if cut["precision"] is None else f"{cut['precision']:.2f} ({cut['entries']:,})"


def _f1_scores(run: Result) -> str:
    f1 = run["dictionary"]["f1"]
    return ", ".join(f"{f1[name]:.3f}" for name in ("top 1", "top 3", "chosen"))


def _three_areas(run: Result) -> str:
    measured = run["dictionary"]
    return ", ".join(f"{measured[name]:.3f}" for name in ("area_csls", "area_mutual", "area"))


if __name__ == "__main__":
    main()
