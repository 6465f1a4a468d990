"""Time approximate searches for a few words under a map that is similar to an earlier one.

    python benchmarks/scale/similar_maps.py DATA --words 200000

`bilex fit` trains several similar maps, and searches for a few hundred words under each. Under such
a draft, so few words are searched exactly. The languages are the twins of `search.py`; the second
map is the first with noise. The last line is JSON: processor time of a draft, with new cells and
with an exact index, and recall@20 against exact search.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from search import recall, twins

from bilex import load_embeddings
from bilex.retrieval import Csls
from bilex.retrieval.csls import CslsIndex
from bilex.values import Compute, Neighbors, unit_rows

WORDS, K, NOISE = 500, 20, 0.1
T = TypeVar("T")


def timed(body: Callable[[], T]) -> tuple[float, T]:
    """Return the processor time of a call, and its result."""
    begin = time.process_time()
    found = body()
    return round(time.process_time() - begin, 1), found


def main() -> None:
    """Build an index under both maps, and search the second one in three ways."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=200_000)
    given = parser.parse_args()
    real = unit_rows(load_embeddings(given.data / "vectors" / "ru.vec.gz").vectors)
    x, y = twins(unit_rows(real - real.mean(0)), given.words)
    noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(1))
    turned = unit_rows(x + NOISE / x.shape[1] ** 0.5 * noise)
    chosen = torch.arange(0, WORDS * 10, 10)
    approximate, exact = (Compute(search=kind) for kind in ("approximate", "exact"))

    def search(index: CslsIndex) -> tuple[Neighbors, Neighbors]:
        return (
            index.forward.search(turned[chosen], k=K),
            index.backward.search(y[chosen], k=K),
        )

    drafts = Csls().for_drafts()
    found: dict[str, object] = {"words": given.words}
    found["first map, all words"], _ = timed(lambda: drafts.build(x, y, compute=approximate))
    _, kept = timed(lambda: drafts.build(turned, y, compute=approximate))
    indexes = {"draft": kept}
    for name, compute in (("new cells", approximate), ("exact", exact)):
        indexes[name] = Csls().build(turned, y, compute=compute)
        indexes[name].measured.update(kept.measured)
    answers = {}
    for name, index in indexes.items():
        found[name], answers[name] = timed(partial(search, index))
    for name, answer in answers.items():
        pairs = zip(answer, answers["exact"], strict=True)
        found[f"recall of {name}"] = [round(recall(a.ids, b.ids), 4) for a, b in pairs]
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
