"""Time a whole training run: the published algorithm, exact mode, fast mode, and the floor.

    python benchmarks/speed/training.py DATA                      # CSS on en-fr, 1k seeds
    python benchmarks/speed/training.py DATA --target ru --seeds 5k
    python benchmarks/speed/training.py DATA --no-exact           # without the long exact run

DATA has vectors/LANGUAGE.vec.gz and dictionaries/xling. Fast and exact mode run to the end with the
schedule of the paper. The published algorithm as written (float64 autograd that maps both pools in
each step, a prior built from whole matrices) would take hours: some of its steps are timed and
multiplied. The floor is the time of the bare float32 products of the published steps, and of the
fast ones. Run nothing else at the same time. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast
from unittest.mock import patch

import torch

from bilex import LexiconInducer, TrainedModel, evaluate, load_embeddings, read_lexicon
from bilex.config import build_part, in_mode, load_preset
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, LinearMap, Mode, SpacePair

PRESET = "css-paper"
BATCH, POOL, NEIGHBORS = 8_000, 20_000, 10  # of the published transport
PHASES = {  # the parts of the strategy, and the method that does their work
    "supervised": "fit_map",
    "prior": "make_prior",
    "unsupervised": "fit_map",
    "lexicon_update": "extend",
}


class Clock:
    """Adds up the seconds and the steps of each phase."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys((*PHASES, "all"), 0.0)
        self.steps = dict.fromkeys(PHASES, 0)

    @contextmanager
    def running(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        start = time.perf_counter()
        yield
        self.seconds[phase] += time.perf_counter() - start

    @contextmanager
    def timing(self, phase: str, part: object) -> Iterator[None]:
        """Time all calls of the one method of a part."""
        method = PHASES[phase]
        original = getattr(type(part), method)

        def call(*args: object, **settings: object) -> object:
            with self.running(phase):
                found = original(*args, **settings)
            if isinstance(found, LinearMap):
                self.steps[phase] += int(str(found.report["steps"]))
            return found

        with patch.object(type(part), method, call):
            yield


def fit(
    mode: Mode, source: EmbeddingSpace, target: EmbeddingSpace, seeds: Lexicon
) -> tuple[TrainedModel, Clock]:
    """Train to the end, with a clock in every phase."""
    clock = Clock()
    tables = in_mode(load_preset(PRESET), mode)
    inducer = LexiconInducer(tables, any_case=False)
    with ExitStack() as stack:
        for phase in PHASES:
            stack.enter_context(clock.timing(phase, build_part(phase, tables)))
        stack.enter_context(clock.running("all"))
        inducer.fit(source, target, seeds)
    return inducer.model_, clock


def published_supervised(pair: SpacePair, pairs: IndexedLexicon) -> Callable[[], object]:
    """One RCSLS step as written: float64, autograd, both pools mapped."""
    x, y = pair.source.vectors.double(), pair.target.vectors.double()
    rows = torch.randint(len(pairs), (400,))
    source, target = x[pairs.source_ids[rows]], y[pairs.target_ids[rows]]
    weight = torch.eye(x.shape[1], y.shape[1], dtype=torch.float64, requires_grad=True)

    def step() -> torch.Tensor:
        mapped, mapped_pool = source @ weight, x @ weight
        to_targets = (mapped @ y.T).topk(NEIGHBORS, dim=1).values.mean()
        to_sources = (target @ mapped_pool.T).topk(NEIGHBORS, dim=1).values.mean()
        loss = -2 * (mapped * target).sum(1).mean() + to_targets + to_sources
        return torch.autograd.grad(loss, weight)[0]

    return step


def published_transport(pair: SpacePair) -> Callable[[], object]:
    """One transport step as written: whole matrices for prior, cost, kernel and plan."""
    x, y = pair.source.vectors[:POOL], pair.target.vectors[:POOL]
    weight = torch.eye(x.shape[1], y.shape[1])
    n = min(BATCH, len(x))

    def step() -> torch.Tensor:
        rows = x[torch.randperm(len(x))[:n]]
        similar = rows @ weight @ y.T
        around_rows = similar.topk(NEIGHBORS, dim=1).values.mean(1)
        around_columns = similar.topk(min(NEIGHBORS, n), dim=0).values.mean(0)
        cost = around_rows[:, None] + around_columns - 2 * similar
        prior = torch.softmax(-cost / 0.1, dim=1)
        kernel = prior * torch.exp(rows @ weight @ y.T)
        v = torch.ones(len(y))
        for _ in range(2):
            u = 1 / (n * (kernel @ v))
            v = 1 / (len(y) * (kernel.T @ u))
        plan = u[:, None] * kernel * v
        one_hot = torch.zeros_like(plan).scatter_(1, plan.argmax(1, keepdim=True), 1.0)
        left, _, right = torch.linalg.svd(weight + 500 / n * rows.T @ (one_hot @ y))
        rotation: torch.Tensor = left @ right
        return rotation

    return step


def products(n: int, x: torch.Tensor, y: torch.Tensor) -> Callable[[], None]:
    """Two bare products of n rows, one with each pool."""

    def work() -> None:
        torch.mm(x[:n], x.T)
        torch.mm(x[:n], y.T)

    return work


def fastest(works: dict[str, Callable[[], object]], repeats: int, rounds: int) -> dict[str, float]:
    """Return the least seconds of one call of each, taken in turn."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(repeats):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / repeats)
    return best


def step_costs(pair: SpacePair, pairs: IndexedLexicon) -> dict[str, float]:
    """Return the seconds of one published step of each kind, and of the bare products."""
    x, y = pair.source.vectors, pair.target.vectors
    batches = {
        "published supervised": published_supervised(pair, pairs),
        "batch products": products(400, x, y),
    }
    wholes = {
        "published transport": published_transport(pair),
        "transport product": lambda: torch.mm(x[:BATCH], y[:POOL].T),
    }
    return fastest(batches, repeats=17, rounds=3) | fastest(wholes, repeats=1, rounds=3)


def multiplied(
    costs: dict[str, float], clock: Clock, words: int
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return seconds of the published algorithm, of its products, and of those of fast mode."""
    tables = cast(dict[str, dict[str, int]], load_preset(PRESET))
    rounds = tables["strategy"]["rounds"]
    supervised = rounds * tables["supervised"]["steps"]
    unsupervised = (rounds - 1) * tables["unsupervised"]["steps"]
    published = {
        "supervised": supervised * costs["published supervised"],
        "unsupervised": unsupervised * costs["published transport"],
    }
    products_alone = {
        "supervised": supervised * costs["batch products"],
        "unsupervised": unsupervised * 2 * costs["transport product"],
    }
    rows = min(POOL, words) / min(BATCH, words)  # fast mode matches the whole pool
    fast_alone = {
        "supervised": clock.steps["supervised"] * costs["batch products"],
        "unsupervised": clock.steps["unsupervised"] * 2 * rows * costs["transport product"],
    }
    return published, products_alone, fast_alone


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--target", default="fr")
    parser.add_argument("--seeds", default="1k")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-exact", action="store_true", help="do not run exact mode")
    parser.add_argument("--words", type=int, help="only so many of the most frequent words")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    source, target = (
        load_embeddings(options.data / "vectors" / f"{language}.vec.gz", limit=options.words)
        for language in ("en", options.target)
    )
    folder = options.data / "dictionaries" / "xling" / f"en-{options.target}"
    seeds = read_lexicon(folder / f"train.{options.seeds}.tsv")
    gold = read_lexicon(folder / "test.tsv")

    modes: list[Mode] = ["fast"] if options.no_exact else ["fast", "exact"]
    runs = {mode: fit(mode, source, target, seeds) for mode in modes}
    model, clock = runs["fast"]
    pair = SpacePair(model.source, model.target)
    costs = step_costs(pair, IndexedLexicon.locate(seeds, pair))
    published, products_alone, fast_alone = multiplied(costs, clock, len(source))
    show(published, products_alone, fast_alone, {mode: found[1] for mode, found in runs.items()})
    result = {
        "target": options.target,
        "seeds": options.seeds,
        "threads": options.threads,
        "seconds_published": round(sum(published.values()), 1),
    }
    for mode, (trained, taken) in runs.items():
        result[f"seconds_{mode}"] = round(taken.seconds["all"], 1)
        result[f"p_at_1_{mode}"] = round(evaluate(trained, gold).scores["csls"].p_at_1, 4)
    for other in ("published", *modes[1:]):
        ratio = float(str(result[f"seconds_{other}"])) / clock.seconds["all"]
        result[f"speedup_over_{other}"] = round(ratio, 1)
    print(json.dumps(result))


def show(
    published: dict[str, float],
    floor: dict[str, float],
    fast_floor: dict[str, float],
    clocks: dict[Mode, Clock],
) -> None:
    """Print seconds of each phase."""
    columns = {"published": published, "its products alone": floor}
    columns |= {mode: clock.seconds for mode, clock in reversed(clocks.items())}
    columns["products of fast alone"] = fast_floor
    print("| seconds |", " | ".join(columns), "|")
    print("|---|" + "---|" * len(columns))
    for phase in (*PHASES, "all"):
        cells = [
            sum(found.values()) if phase == "all" and "all" not in found else found.get(phase)
            for found in columns.values()
        ]
        print(f"| {phase} |", " | ".join("–" if c is None else f"{c:.1f}" for c in cells), "|")
    for mode, clock in clocks.items():
        print(f"steps in {mode} mode:", {k: v for k, v in clock.steps.items() if v})


if __name__ == "__main__":
    main()
