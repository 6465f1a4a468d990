"""Measure seconds and memory of `bilex fit` from end to end, for growing vocabularies.

    python benchmarks/speed/scale.py DATA WORK                  # 25k, 50k, 100k, 200k words
    python benchmarks/speed/scale.py DATA WORK --sizes 25000    # one size
    python benchmarks/speed/scale.py plot WORK FIGURE.svg       # a figure of the results in WORK

Spaces are made from the real English vectors in DATA. More words are mixtures of two real words.
The target language is a rotation of them with noise, 10 % of its words replaced, in another order
of frequency. Each size is a run of the command line in its own process, from vector files to
a model folder, in fast mode. Finished sizes are kept in WORK and not run again. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

from bilex import EmbeddingSpace, load_embeddings
from bilex.embeddings import save_embeddings
from bilex.values import unit_rows

SIZES = (25_000, 50_000, 100_000, 200_000)
SEEDS, TESTS = 1_000, 2_000
NOISE, REPLACED, SHUFFLED = 2.0, 0.1, 0.2
# Fast except for the lexicon update, as in the suite `core`.
METHOD = ("--preset", "css-paper", "--mode", "fast", "--set", "lexicon_update.mode=exact")


def twins(real: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return both spaces, and the row of each source word's twin (-1 where it was replaced)."""
    rng = torch.Generator().manual_seed(0)
    chosen = torch.randint(len(real), (2, size), generator=rng)
    share = torch.rand(size, 1, generator=rng)
    source = unit_rows(share * real[chosen[0]] + (1 - share) * real[chosen[1]])
    source[: len(real)] = real[:size]
    rotation = torch.linalg.qr(torch.randn(real.shape[1], real.shape[1], generator=rng)).Q
    spread = NOISE / real.shape[1] ** 0.5
    target = source @ rotation + spread * torch.randn(source.shape, generator=rng)
    replaced = torch.rand(size, generator=rng) < REPLACED
    target[replaced] = torch.randn(int(replaced.sum()), real.shape[1], generator=rng)
    ranks = torch.arange(size) * (1 + SHUFFLED * torch.randn(size, generator=rng)).abs()
    order = ranks.argsort()
    twin = torch.empty(size, dtype=torch.long)
    twin[order] = torch.arange(size)
    twin[replaced] = -1
    return source, unit_rows(target)[order], twin


def write_problem(real: torch.Tensor, size: int, folder: Path) -> None:
    """Write vectors of both languages, seeds among the frequent words, and test pairs."""
    source, target, twin = twins(real, size)
    for name, vectors in (("source", source), ("target", target)):
        words = tuple(f"{name[0]}{row}" for row in range(size))
        save_embeddings(EmbeddingSpace(words, vectors), folder / f"{name}.bin")
    known = [row for row in range(size) if twin[row] >= 0]
    lines = [f"s{row}\tt{int(twin[row])}\n" for row in known]
    (folder / "seeds.tsv").write_text("".join(lines[: 2 * SEEDS : 2]))
    (folder / "test.tsv").write_text("".join(lines[1 : 2 * TESTS : 2]))


def run(arguments: list[str], folder: Path) -> tuple[str, float, float]:
    """Run a command of bilex; return its output, its seconds and its peak memory in GiB."""
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "bilex", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        output = process.stdout.read() if process.stdout is not None else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bilex {arguments[0]} ended with {process.returncode}")
    return output, time.perf_counter() - start, usage.ru_maxrss / 2**20


def measure(real: torch.Tensor, size: int, work: Path) -> dict[str, object]:
    folder = work / str(size)
    folder.mkdir(parents=True, exist_ok=True)
    write_problem(real, size, folder)
    files = ["source.bin", "target.bin", "seeds.tsv"]
    fitting = ["fit", *files, "-o", "model", *METHOD, "--no-cache", "--json"]
    _, seconds, memory = run(fitting, folder)
    training = json.loads((folder / "model" / "report.json").read_text())
    scores, _, _ = run(["evaluate", "model", "test.tsv", "--json"], folder)
    return {
        "words": size,
        "seconds": round(seconds, 1),
        "seconds_training": training["seconds"],
        "peak_gib": round(memory, 2),
        "p_at_1": json.loads(scores)["csls"]["p_at_1"],
    }


def plot(work: Path, figure: Path) -> None:
    """Draw seconds and memory against the number of words, on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    found = sorted((json.loads(p.read_text()) for p in work.glob("*.json")), key=_words)
    words = [_words(one) for one in found]
    panes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")[1]
    for pane, key, label in zip(
        panes, ("seconds", "peak_gib"), ("seconds", "peak memory, GiB"), strict=True
    ):
        pane.plot(words, [one[key] for one in found], marker="o", color="#0072b2")
        pane.set(xscale="log", yscale="log", xlabel="words in each language", ylabel=label)
        pane.set_xticks(words, [f"{number // 1000}k" for number in words])
        pane.minorticks_off()
        pane.set_yticks([one[key] for one in found], [f"{one[key]:.3g}" for one in found])
        pane.grid(alpha=0.3)
    plt.savefig(figure, metadata={"Date": None})


def _words(found: dict[str, float]) -> int:
    return int(found["words"])


def main() -> None:
    if sys.argv[1:2] == ["plot"]:
        plot(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    real = load_embeddings(options.data / "vectors" / "en.vec.gz").vectors
    found = []
    for size in options.sizes:
        path = options.work / f"{size}.json"
        if not path.exists():
            path.write_text(json.dumps(measure(real, size, options.work)))
        found.append(json.loads(path.read_text()))
        print(found[-1], flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
