"""Run the paper's methods and ablations on real data, print the tables of docs/paper-results.md.

    python benchmarks/paper_table.py run DATA RESULTS            # everything that is missing
    python benchmarks/paper_table.py run DATA RESULTS --part 1/2 # half of it, beside another
    python benchmarks/paper_table.py show RESULTS                # Markdown tables

DATA holds vectors/LANG.vec.gz and dictionaries/xling/PAIR/{train.1k,train.5k,test}.tsv. Each
finished job is a JSON file in RESULTS, so a run can be stopped and started again at any time.
Jobs run on one thread each: start as many parts as there are cores. All take every published
step (mode "exact"), except those that say "fast".
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from bilex import EmbeddingSpace, LexiconInducer, read_lexicon
from bilex.config import in_mode, load_preset, override
from bilex.evaluation import evaluate
from bilex.retrieval import Csls, Nearest
from job_files import command, keep, load_spaces, missing_in_part

SHORT: dict[str, object] = {  # a schedule two cores can afford; presets keep the paper's
    "strategy.rounds": 4,
    "supervised.steps": 300,
    "unsupervised.steps": 25,
    "unsupervised.batch": 4_000,
}
Settings = Mapping[str, object]

FAST_SUPERVISED: Settings = {"supervised.mode": "fast"}
FAST: Settings = {**FAST_SUPERVISED, "unsupervised.mode": "fast"}
ONE_STEP: Settings = {"unsupervised.steps": 50, "unsupervised.batch": 4_000}
CSS_CODE_SHORT = {**SHORT, "unsupervised.steps": 50}  # twice the steps, as in the preset
LANGUAGES = ("fr", "ru")
OFF = "none"
NO_PRIOR: Settings = {  # without a prior the plan is as sharp as epsilon makes it
    "prior.name": OFF,
    "unsupervised.epsilon": 0.05,
}


@dataclass(frozen=True)
class Job:
    """One model to train and score."""

    table: str
    label: str
    preset: str
    target: str
    seeds: str
    settings: tuple[tuple[str, object], ...]

    @property
    def name(self) -> str:
        """Return the name of its result file."""
        return f"{self.table}.{self.label}.{self.target}.{self.seeds}".replace(" ", "_")


def jobs() -> list[Job]:
    methods: list[tuple[str, str, Settings]] = [
        ("procrustes", "procrustes", {}),
        ("rcsls", "rcsls", {"supervised.steps": 300}),
        ("self-learning", "self-learning", {}),
        ("wasserstein-procrustes", "wasserstein-procrustes", ONE_STEP),
        ("css-paper", "css-paper", SHORT),
        ("pss-paper", "pss-paper", SHORT),
        ("css-code", "css-code", CSS_CODE_SHORT),
        ("pss-code", "pss-code", SHORT),
    ]
    ablations: list[tuple[str, str, Settings]] = [
        ("CSS - POT", "css-paper", NO_PRIOR),
        ("CSS - BLU", "css-paper", {"lexicon_update.name": OFF}),
        ("CSS - POT - BLU", "css-paper", {**NO_PRIOR, "lexicon_update.name": OFF}),
        ("CSS - UnSup - POT", "css-paper", {"unsupervised.name": OFF, "prior.name": OFF}),
        ("CSS - Sup - BLU", "css-paper", {"supervised.name": OFF, "lexicon_update.name": OFF}),
        ("PSS - POT", "pss-paper", NO_PRIOR),
        ("PSS - BLU", "pss-paper", {"lexicon_update.name": OFF}),
    ]
    quick: list[tuple[str, str, Settings, Settings]] = [
        ("rcsls", "rcsls", {"supervised.steps": 300}, FAST_SUPERVISED),
        ("css-paper", "css-paper", SHORT, FAST),
        ("pss-paper", "pss-paper", SHORT, FAST),
        ("pss-code", "pss-code", SHORT, FAST),
    ]
    one_hot = {**SHORT, "unsupervised.rounding": "one-hot"}
    return [
        *(_job("methods", *method, target, "1k") for method in methods for target in LANGUAGES),
        *(_job("methods", "css-paper, one-hot", "css-paper", one_hot, t, "1k") for t in LANGUAGES),
        *(
            _job("ablations", label, preset, {**SHORT, **settings}, "fr", "1k")
            for label, preset, settings in ablations
        ),
        *(_job("methods", *method, target, "5k") for method in methods for target in LANGUAGES),
        *(
            _job("methods", "wasserstein-procrustes", "wasserstein-procrustes", ONE_STEP, t, "0")
            for t in LANGUAGES
        ),
        *(_job("full", preset, preset, {}, "fr", "1k") for preset in ("css-paper", "pss-paper")),
        *(
            _job("full", "css-paper", "css-paper", {}, target, seeds)
            for target, seeds in (("fr", "5k"), ("ru", "1k"), ("ru", "5k"))
        ),
        *(
            _job("methods", f"{label}, fast", preset, {**settings, **fast}, target, seeds)
            for label, preset, settings, fast in quick
            for target in LANGUAGES
            for seeds in ("1k", "5k")
        ),
        *(
            _job("full", "css-paper, fast", "css-paper", FAST, target, seeds)
            for target in LANGUAGES
            for seeds in ("1k", "5k")
        ),
        _job("full", "pss-paper, fast", "pss-paper", FAST, "fr", "1k"),
    ]


def _job(table: str, label: str, preset: str, settings: Settings, target: str, seeds: str) -> Job:
    return Job(table, label, preset, target, seeds, tuple(settings.items()))


def tables_of(job: Job) -> dict[str, dict[str, object]]:
    """Apply the settings; a part that is off goes last."""
    tables = in_mode(load_preset(job.preset), "exact")
    for key, value in sorted(job.settings, key=lambda item: item[1] == OFF):
        tables = override(tables, f"{key}={json.dumps(value)}")
    return tables


def run(job: Job, data: Path, source: EmbeddingSpace, target: EmbeddingSpace) -> dict[str, object]:
    folder = data / "dictionaries" / "xling" / f"en-{job.target}"
    seeds = read_lexicon(folder / f"train.{job.seeds}.tsv").lexicon if job.seeds != "0" else None
    gold = read_lexicon(folder / "test.tsv").lexicon
    inducer = LexiconInducer(tables_of(job))
    start = time.perf_counter()
    inducer.fit(source, target, seeds)
    seconds = time.perf_counter() - start
    rankers = {"csls": inducer.translator(Csls()), "nearest": inducer.translator(Nearest())}
    scores = evaluate(rankers, gold, source.index, target.index, rng=torch.Generator())
    return {
        "table": job.table,
        "label": job.label,
        "target": job.target,
        "seeds": job.seeds,
        "csls": scores.scores["csls"].p_at_1,
        "nearest": scores.scores["nearest"].p_at_1,
        "covered": scores.covered,
        "total": scores.total,
        "seconds": seconds,
        "rounds": [found.mean_csls for found in inducer.training_report_.rounds],
        "mean_csls": inducer.training_report_.mean_csls,
    }


def run_all(data: Path, results: Path, part: str, only: str) -> None:
    torch.set_num_threads(1)
    spaces = load_spaces(data, "en", *LANGUAGES)
    by_name = {job.name: job for job in jobs()}
    for name in missing_in_part(list(by_name), results, part, only):
        job = by_name[name]
        keep(name, results, run(job, data, spaces["en"], spaces[job.target]))


def show(results: Path) -> None:
    found = {path.stem: json.loads(path.read_text()) for path in results.glob("*.json")}
    for table in ("methods", "ablations", "full"):
        columns = sorted(
            {(r["target"], r["seeds"]) for r in found.values() if r["table"] == table},
            key=lambda column: (column[1] == "0", column),
        )
        labels = dict.fromkeys(job.label for job in jobs() if job.table == table)
        heads = [f"en→{target} {seeds}" for target, seeds in columns]
        print(f"\n| {table} | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
        for label in labels:
            cells = [
                _cell(found.get(f"{table}.{label}.{target}.{seeds}".replace(" ", "_")))
                for target, seeds in columns
            ]
            print(f"| {label} | {' | '.join(cells)} |")


def _cell(result: dict[str, float] | None) -> str:
    return "–" if result is None else f"{100 * result['csls']:.2f} ({result['seconds']:.0f} s)"


if __name__ == "__main__":
    command(__doc__.splitlines()[0], run_all, show)
