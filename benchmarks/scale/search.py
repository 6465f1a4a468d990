"""Measure approximate search in very large vocabularies against exact search.

    python benchmarks/scale/search.py DATA --words 1000000      # CSLS top-10 both ways
    python benchmarks/scale/search.py DATA --pairs en-ru,en-fi  # P@1 of real pairs, both searches
    python benchmarks/scale/search.py DATA --pairs en-fr,en-tr --held-out  # not on test words

Twins: words are real Russian words of DATA, and mixtures of such a word with one of its nearest
neighbors and noise: with 1,000,000 words, 19 mixtures of each. The other language is a rotation of
them with noise, which has the covariance of the real vectors and is independent for each word. So
the nearest word is usually the twin, but the tenth is near mostly by its noise. With 200,000 words,
the cosines of a word to its nearest and tenth translation are 0.56 and 0.38; for English words
among 500,000 Russian ones, under a map from 5,000 seeds, they are 0.43 and 0.34.

Exact search is timed on a slice of the words and projected. Times are processor seconds, summed
over threads, so that other load on the machine counts less. Neighborhood means in the exact CSLS
are exact for `BY_EXACT_MEANS` of the checked words, and those of the approximate search for the
others, because exact means of all words would take hours. Results are lines of JSON; progress is
on stderr.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import torch

from bilex import LexiconInducer, load_embeddings, read_lexicon
from bilex.retrieval import Csls
from bilex.similarity import SearchPool, csls_at, csls_topk, neighborhood_means, topk
from bilex.values import Compute, Entry, Lexicon, Search, unit_rows

NEIGHBORS, CHECKED, BY_EXACT_MEANS = 10, 5_000, 250
WIDE = 30  # best by approximate means, among which the best by exact means are
HELD_OUT = 5  # one in so many words of a training list is tested
LOCAL, CROSS = 0.5, 1.5  # length of the noise of a new word, and of a translation
NEAREST = 20  # neighbors of a real word, one of which is mixed into a new word
ROWS_AT_ONCE = 65_536


def twins(real: torch.Tensor, words: int, random_state: int = 0) -> tuple[torch.Tensor, ...]:
    """Return unit rows of two languages, most frequent word first in both."""
    rng = torch.Generator().manual_seed(random_state)
    dim = real.shape[1]
    factor = torch.linalg.cholesky(torch.cov(real.T) + 1e-6 * torch.eye(dim)).T
    rotation = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
    near = topk(real, real, NEAREST + 1).ids[:, 1:]
    source, target = torch.empty(words, dim), torch.empty(words, dim)
    for first in range(0, words, ROWS_AT_ONCE):
        rows = torch.arange(first, min(words, first + ROWS_AT_ONCE))

        def noise(length: float, size: int = len(rows)) -> torch.Tensor:
            return length * unit_rows(torch.randn(size, dim, generator=rng) @ factor)

        own = rows % len(real)
        other = near[own, torch.randint(NEAREST, (len(rows),), generator=rng)]
        share = torch.rand(len(rows), 1, generator=rng) / 2
        mixed = (1 - share) * real[own] + share * real[other] + noise(LOCAL)
        source[rows] = unit_rows(torch.where((rows < len(real))[:, None], real[own], mixed))
        target[rows] = unit_rows((source[rows] + noise(CROSS)) @ rotation)
        source[rows] = unit_rows(source[rows] @ rotation)
    return source, target


def measure(data: Path, words: int, memory: int) -> dict[str, object]:
    """Return seconds, memory and recall of CSLS top-10 in both directions."""
    real = unit_rows(load_embeddings(data / "vectors" / "ru.vec.gz").vectors)
    real = unit_rows(real - real.mean(0))
    index = Csls().build(*twins(real, words), compute=Compute(memory=memory, search="approximate"))
    checked = across_frequencies(words)

    begin = time.process_time(), time.perf_counter()
    found: dict[str, torch.Tensor] = {}
    for side in ("source", "target"):
        index.means(side)
        progress(f"nearest of {side}", begin[0])
    for side, search in (("source", index.forward), ("target", index.backward)):
        blocks = torch.split(torch.arange(words), ROWS_AT_ONCE)
        parts = [search.search(index.rows(side)[rows], k=NEIGHBORS, rows=rows) for rows in blocks]
        found[side] = torch.cat([part.ids for part in parts])[checked]
        progress(f"best of {side}", begin[0])
    seconds, wall = time.process_time() - begin[0], time.perf_counter() - begin[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20

    result: dict[str, object] = {
        "words": words,
        "seconds": round(seconds, 1),
        "wall_seconds": round(wall, 1),
        "peak_gib": round(peak, 2),
    }
    exact = 0.0  # seconds of four exact searches: means and CSLS, both ways
    for side, other in (("source", "target"), ("target", "source")):
        queries, candidates = index.rows(side)[checked], index.rows(other)
        pool = SearchPool(candidates, compute=Compute(memory=memory, search="exact"))
        pool.topk(queries, NEIGHBORS)  # prepares the candidates
        begin_slice = time.process_time()
        cosine = pool.topk(queries, NEIGHBORS)
        exact += 2 * (time.process_time() - begin_slice) / len(queries) * words
        means = cosine.scores.mean(1)
        wide = csls_topk(
            queries, pool, WIDE, query_means=means, candidate_means=index.means(other)
        ).ids
        best = wide[:, :NEIGHBORS]
        some = torch.arange(0, len(checked), max(1, len(checked) // BY_EXACT_MEANS))
        truly_best = by_exact_means(
            queries[some], candidates, wide[some], means[some], index.rows(side), pool.compute
        )
        quarter = len(checked) // 4
        near = index.near[side].ids[checked]
        result |= {
            f"recall_csls_{side}": round(recall(found[side], best), 4),
            f"recall_csls_frequent_{side}": round(recall(found[side][:quarter], best[:quarter]), 4),
            f"recall_csls_rare_{side}": round(recall(found[side][-quarter:], best[-quarter:]), 4),
            f"recall_exact_means_{side}": round(recall(found[side][some], truly_best), 4),
            f"recall_near_{side}": round(recall(near, cosine.ids), 4),
            f"same_first_{side}": share(found[side][:, 0] == best[:, 0]),
            f"twin_first_{side}": [share(ids[:, 0] == checked) for ids in (found[side], best)],
            f"error_of_means_{side}": round(
                float((index.means(side)[checked] - means).abs().mean()), 5
            ),
            f"cosines_{side}": [round(float(cosine.scores[:, n].mean()), 3) for n in (0, 9)],
        }
    result["exact_seconds_projected"] = round(exact)
    result["share_of_exact"] = round(seconds / exact, 3)
    return result


def by_exact_means(
    queries: torch.Tensor,
    candidates: torch.Tensor,
    wide: torch.Tensor,
    query_means: torch.Tensor,
    others: torch.Tensor,
    compute: Compute,
) -> torch.Tensor:
    """Return the best of the candidates in `wide`, with their exact means over all `others`."""
    used, where = torch.unique(wide, return_inverse=True)
    used_means = neighborhood_means(candidates[used], others, NEIGHBORS, compute=compute)
    scores = csls_at(
        queries, candidates[used], where, query_means=query_means, candidate_means=used_means
    )
    return wide.gather(1, scores.topk(NEIGHBORS, dim=1).indices)


def progress(what: str, begin: float) -> None:
    print(f"{what}: {time.process_time() - begin:.0f} s", file=sys.stderr, flush=True)


def across_frequencies(words: int) -> torch.Tensor:
    """Return a random word of each of `CHECKED` ranges of frequency."""
    step = max(1, words // CHECKED)
    first = torch.arange(0, words - step + 1, step)
    rng = torch.Generator().manual_seed(1)
    return first + torch.randint(step, (len(first),), generator=rng)


def share(right: torch.Tensor) -> float:
    return round(float(right.float().mean()), 4)


def recall(found: torch.Tensor, best: torch.Tensor) -> float:
    """Return the share of the best that was found."""
    return float((found[:, :, None] == best[:, None, :]).any(1).float().mean())


def precision(data: Path, pair: str, held_out: bool) -> dict[str, object]:
    """Return P@1 by CSLS of a real pair, searched exactly and approximately.

    With `held_out`, the words that are scored are words of the training list that are no seeds.
    """
    names = pair.split("-")
    source, target = (load_embeddings(data / "vectors" / f"{name}.vec.gz") for name in names)
    folder = data / "dictionaries" / "xling" / pair
    seeds = read_lexicon(folder / "train.5k.tsv")
    if held_out:
        places = {word: place for place, word in enumerate(seeds.translations)}
        parts: tuple[list[Entry], list[Entry]] = ([], [])
        for entry in seeds.entries:
            parts[places[entry.source] % HELD_OUT == 0].append(entry)
        seeds, scored = (Lexicon(tuple(part)) for part in parts)
    else:
        scored = read_lexicon(folder / "test.tsv")
    result: dict[str, object] = {
        "pair": pair,
        "words": [len(source), len(target)],
        "scored": len(scored.translations),
    }
    kinds: tuple[Search, ...] = ("exact", "approximate")
    for search in kinds:
        inducer = LexiconInducer("procrustes", search=search, any_case=False)
        evaluation = inducer.fit(source, target, seeds).model_.evaluate(scored)
        result[search] = round(100 * evaluation.scores["csls"].p_at_1, 2)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int)
    parser.add_argument("--pairs")
    parser.add_argument("--held-out", action="store_true", help="score no test words")
    parser.add_argument("--memory", type=int, default=1_024, help="MiB that a search may use")
    chosen = parser.parse_args()
    if chosen.words:
        print(json.dumps(measure(chosen.data, chosen.words, chosen.memory * 2**20)), flush=True)
    for pair in chosen.pairs.split(",") if chosen.pairs else ():
        print(json.dumps(precision(chosen.data, pair, chosen.held_out)), flush=True)


if __name__ == "__main__":
    main()
