"""Why a setting helps or not: variants of CSS on held-out seeds, never on test words.

    python benchmarks/held_out.py run DATA RESULTS [--part 1/2]
    python benchmarks/held_out.py show RESULTS

A draw takes 1,000 random pairs of train.5k as seeds and scores P@1 (CSLS) on all other pairs of
that file. Three rounds unless the name says otherwise; else the presets, in fast mode. Each
finished job is a JSON file.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from statistics import mean, stdev

import torch

from bilex import EmbeddingSpace, Lexicon, LexiconInducer, load_embeddings, read_lexicon
from bilex.config import load_preset, override
from bilex.evaluation import evaluate
from bilex.files import writing
from bilex.retrieval import Csls

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
    variant: str, source: EmbeddingSpace, target: EmbeddingSpace, pairs: Lexicon, draw: int
) -> dict[str, object]:
    preset, settings = VARIANTS[variant]
    tables = override(load_preset(preset), "strategy.rounds=3")
    for key, value in sorted(settings.items(), key=lambda item: item[1] == "none"):
        tables = override(tables, f"{key}={json.dumps(value)}")
    order = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(draw)).tolist()
    seeds, held_out = (
        Lexicon(tuple(pairs.entries[row] for row in rows))
        for rows in (order[:SEEDS], order[SEEDS:])
    )
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


def run_all(data: Path, results: Path, part: str) -> None:
    torch.set_num_threads(1)
    number, count = (int(text) for text in part.split("/"))
    results.mkdir(parents=True, exist_ok=True)
    spaces = {
        language: load_embeddings(data / "vectors" / f"{language}.vec.gz").space
        for language in ("en", *LANGUAGES)
    }
    jobs = [(v, t, d) for d in range(DRAWS) for v in VARIANTS for t in LANGUAGES]
    for variant, target, draw in jobs[number - 1 :: count]:
        path = results / f"{variant.replace(' ', '_')}.{target}.{draw}.json"
        if path.exists():
            continue
        folder = data / "dictionaries" / "xling" / f"en-{target}"
        pairs = read_lexicon(folder / "train.5k.tsv").lexicon
        found = run(variant, spaces["en"], spaces[target], pairs, draw) | {"target": target}
        with writing(path) as temporary:
            temporary.write_text(json.dumps(found), encoding="utf-8")
        print(json.dumps(found), flush=True)


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
            cells += [_spread(list(runs.values())), _spread(gains, sign="+")]
        print(f"| {variant} |", " | ".join(cells), "|")


def _spread(values: list[float], *, sign: str = "") -> str:
    if not values:
        return "–"
    sd = stdev(values) if len(values) > 1 else math.nan
    return f"{mean(values):{sign}.2f} ± {sd:.2f} ({len(values)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("data", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--part", default="1/1")
    commands.add_parser("show").add_argument("results", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run_all(options.data, options.results, options.part)
    else:
        show(options.results)


if __name__ == "__main__":
    main()
