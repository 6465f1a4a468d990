"""Time the similarity kernel against the bare float32 product of the same size.

    python benchmarks/speed/similarity.py                             # 50k × 50k × 300
    python benchmarks/speed/similarity.py --size 200000 --only csls   # the large case, peak memory

Vectors are synthetic: both "languages" have the same clusters, but one is rotated and has noise.
Times are taken in turn over several rounds and compared as ratios of their minima, because the
machine may be shared. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable

import torch

from bilex.similarity import csls_topk, neighborhood_means, topk
from bilex.values import Compute, unit_rows


def twins(size: int, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two spaces with the same clusters, one rotated and noisy."""
    rng = torch.Generator().manual_seed(0)
    centers = torch.randn(size // 50, dim, generator=rng)
    rows = centers[torch.randint(len(centers), (size,), generator=rng)]
    rows += 0.8 * torch.randn(size, dim, generator=rng)
    rotation = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
    other = rows @ rotation + 0.5 * torch.randn(size, dim, generator=rng)
    return unit_rows(rows) @ rotation, unit_rows(other)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bare_product(x: torch.Tensor, y: torch.Tensor, block: int = 1_024) -> None:
    out = torch.empty(block, len(y))
    for first in range(0, len(x), block):
        rows = x[first : first + block]
        torch.mm(rows, y.T, out=out[: len(rows)])


def csls_both_directions(x: torch.Tensor, y: torch.Tensor, compute: Compute) -> None:
    around_x = neighborhood_means(x, y, 10, compute=compute)
    around_y = neighborhood_means(y, x, 10, compute=compute)
    csls_topk(x, y, 10, query_means=around_x, candidate_means=around_y, compute=compute)
    csls_topk(y, x, 10, query_means=around_y, candidate_means=around_x, compute=compute)


def memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=50_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--only", choices=["topk", "csls"], help="run one part, without the rest")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    compute = Compute(precision=options.precision)
    x, y = twins(options.size, options.dim)
    base = memory_mib()
    work: dict[str, Callable[[], object]] = {
        "product": lambda: bare_product(x, y),
        "topk": lambda: topk(x, y, 10, compute=compute),
        "csls_both": lambda: csls_both_directions(x, y, compute),
    }
    if options.only:
        work = {name: run for name, run in work.items() if name.startswith(options.only)}
    topk(x[:2_048], y[:2_048], 10, compute=compute)
    best = dict.fromkeys(work, float("inf"))
    for number in range(options.rounds):
        for name, run in work.items():
            taken = seconds(run)
            best[name] = min(best[name], taken)
            print(f"round {number + 1}: {name} {taken:.2f} s", flush=True)
    result: dict[str, object] = {
        "size": options.size,
        "dim": options.dim,
        "threads": options.threads,
        "seconds": {name: round(value, 2) for name, value in best.items()},
        "extra_memory_mib": round(memory_mib() - base),
    }
    if "product" in best:
        result["topk_ratio"] = round(best["topk"] / best["product"], 3)
        result["csls_both_ratio"] = round(best["csls_both"] / best["product"], 3)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
