"""Measure probabilities on test words, and the dictionaries that are cut by them.

    python benchmarks/studies/calibration.py run DATA RESULTS [--only pair=en-fr,seeds=1000]
    python benchmarks/studies/calibration.py show RESULTS

`run` runs the jobs of calibration.toml like `bilex bench run`, and adds a field `dictionary` to
each result, since dictionaries can only be induced with the trained model. `show` prints the table
of docs/dictionary/trust.md. "Area" is the area under precision against coverage, when answers are
taken from the most to the least certain one: by CSLS, mutual best pairs first, by probability.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from bilex import TrainedModel
from bilex.benchmark import (
    BenchmarkWork,
    FileHashes,
    Finished,
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
from show import p_at_1, read, spread

SUITE = Path(__file__).with_suffix(".toml")
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
    chosen = filter_jobs(expand(load_suite(str(SUITE)), data), only)
    jobs = [job.with_hashes(hashes) for job in chosen]
    work = BenchmarkWork(measure=measure_dictionary)
    run_jobs(
        jobs, ResultStore(results), LocalEngine(workers=workers), work=work, on_event=print_end
    )


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
    found = read(results)
    print(
        "| Task | seeds | P@1 by CSLS | by probability | calibration error | area: CSLS, mutual, "
        "probability | at 0.8: precision, entries | at 0.9 | F1: top 1, top 3, chosen |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for lexicon, pair, seeds in sorted({_cell_of(result) for result in found}):
        runs = [result for result in found if _cell_of(result) == (lexicon, pair, seeds)]
        words = runs[0]["coverage"]["covered"]
        print(f"| {pair} ({lexicon}, {words:,} words) | {seeds:,} | {' | '.join(_columns(runs))} |")


def _cell_of(result: Mapping[str, Any]) -> tuple[str, str, int]:
    job = result["job"]
    return job["lexicon"], f"{job['source']}→{job['target']}", job["seeds"]


def _columns(runs: list[dict[str, Any]]) -> list[str]:
    measured = [run["dictionary"] for run in runs if "dictionary" in run]
    columns = [
        spread([p_at_1(run, "csls") for run in runs]),
        spread([p_at_1(run) for run in runs]),
        spread([run["calibration_error"] for run in runs], digits=3),
    ]
    if not measured:  # by `bilex bench run`
        return [*columns, "–", "–", "–", "–"]
    areas = [
        fmean(each[name] for each in measured) for name in ("area_csls", "area_mutual", "area")
    ]
    f1 = [fmean(each["f1"][name] for each in measured) for name in ("top 1", "top 3", "chosen")]
    cuts = []
    for number in range(len(PRECISIONS)):
        here = [each["cuts"][number] for each in measured]
        known = [cut["precision"] for cut in here if cut["precision"] is not None]
        entries = fmean(cut["entries"] for cut in here)
        cuts.append(f"{fmean(known):.3f}, {entries:,.0f}" if known else "none")
    return [*columns, _listed(areas), *cuts, _listed(f1)]


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    main()
