"""Why a setting helps or not: variants of CSS on held-out seeds, never on test words.

    python benchmarks/held_out.py run DATA RESULTS [--part 1/2]
    python benchmarks/held_out.py show RESULTS

A draw takes 1,000 random pairs of train.5k as seeds and scores P@1 (CSLS) on all other pairs of
that file. Three rounds unless the name says otherwise; else the presets, in fast mode. Each
finished job is a JSON file.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import torch

from bilex import EmbeddingSpace, Lexicon, LexiconInducer
from bilex.config import load_preset, override
from bilex.evaluation import evaluate
from bilex.retrieval import Csls
from job_files import command, draw_seeds, keep, load_spaces, missing_in_part, spread

LANGUAGES, DRAWS, SEEDS = ("fr", "ru"), 4, 1_000

ONE_HOT = {"unsupervised.rounding": "one-hot"}
# The same kernel as the prior's, exp(CSLS / T), but of the current map: no belief is kept.
NO_PRIOR = {"prior.name": "none", "unsupervised.cost": "rcsls", "unsupervised.epsilon": 0.1}
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "self-learning": ("self-learning", {}),
    "self-learning, six rounds": ("self-learning", {"strategy.rounds": 6}),
    "css-paper": ("css-paper", {}),
    "css-paper, one-hot plan": ("css-paper", {**ONE_HOT}),
    "css-paper, one-hot plan, prior of the current map": (
        "css-paper",
        {**ONE_HOT, "unsupervised.prior_follows": "current"},
    ),
    "css-paper, one-hot plan, no prior": ("css-paper", {**ONE_HOT, **NO_PRIOR}),
    "css-paper, one-hot plan, no lexicon update": (
        "css-paper",
        {**ONE_HOT, "lexicon_update.name": "none"},
    ),
    "css-paper, one-hot plan, no prior, no lexicon update": (
        "css-paper",
        {**ONE_HOT, **NO_PRIOR, "lexicon_update.name": "none"},
    ),
}


def run(
    variant: str,
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    drawn: tuple[Lexicon, Lexicon],
    draw: int,
) -> dict[str, object]:
    preset, settings = VARIANTS[variant]
    tables = override(load_preset(preset), "strategy.rounds=3")
    for key, value in sorted(settings.items(), key=lambda item: item[1] == "none"):
        tables = override(tables, f"{key}={json.dumps(value)}")
    seeds, held_out = drawn
    start = time.perf_counter()
    inducer = LexiconInducer(tables, random_state=draw).fit(source, target, seeds)
    seconds = time.perf_counter() - start
    ranker = {"csls": inducer.translator(Csls())}
    scores = evaluate(ranker, held_out, source.index, target.index, rng=torch.Generator())
    return {
        "variant": variant,
        "draw": draw,
        "p_at_1": scores.scores["csls"].p_at_1,
        "covered": scores.covered,
        "seconds": round(seconds, 1),
    }


def run_all(data: Path, results: Path, part: str, only: str) -> None:
    torch.set_num_threads(1)
    spaces = load_spaces(data, "en", *LANGUAGES)
    jobs = {
        f"{variant.replace(' ', '_')}.{target}.{draw}": (variant, target, draw)
        for draw in range(DRAWS)
        for variant in VARIANTS
        for target in LANGUAGES
    }
    for name in missing_in_part(list(jobs), results, part, only):
        variant, target, draw = jobs[name]
        drawn = draw_seeds(data, target, SEEDS, draw)
        found = run(variant, spaces["en"], spaces[target], drawn, draw)
        keep(name, results, found | {"target": target})


def show(results: Path) -> None:
    found = [json.loads(path.read_text()) for path in results.glob("*.json")]
    base = {(f["target"], f["draw"]): f["p_at_1"] for f in found if f["variant"] == "self-learning"}
    print("| variant |", " | ".join(f"en→{t} | over self-learning" for t in LANGUAGES), "|")
    print("|---|" + "---|---|" * len(LANGUAGES))
    for variant in VARIANTS:
        cells = []
        for target in LANGUAGES:
            runs = {
                f["draw"]: 100 * f["p_at_1"]
                for f in found
                if (f["variant"], f["target"]) == (variant, target)
            }
            gains = [p - 100 * base[target, d] for d, p in runs.items() if (target, d) in base]
            cells += [spread(list(runs.values())), spread(gains, sign="+")]
        print(f"| {variant} |", " | ".join(cells), "|")


if __name__ == "__main__":
    command(__doc__.splitlines()[0], run_all, show)
