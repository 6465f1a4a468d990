"""Time reading text files of word vectors, against gensim and other ways to parse numbers.

    python benchmarks/speed/parsing.py [--words 200000] [--dim 300] [--all]

The last line is JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from bilex.embeddings import load_embeddings

FORMATTED_ROWS = 2000  # printing numbers is slow, so these are repeated under other words


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--all", action="store_true", help="also time the slow alternatives")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, cache = Path(folder, "vectors.vec"), Path(folder, "cache")
        make_file(path, options.words, options.dim)
        print(f"{options.words} x {options.dim}, {path.stat().st_size / 1e6:.0f} MB")
        ours = min(seconds("bilex", lambda: load_embeddings(path)) for _ in range(2))
        load_embeddings(path, cache=cache)
        reload = min(
            seconds("bilex, from cache", lambda: load_embeddings(path, cache=cache))
            for _ in range(3)
        )
        gensim = seconds("gensim", lambda: with_gensim(path))
        if options.all:
            seconds("numpy.fromstring per line", lambda: with_fromstring(path))
            seconds("Python float()", lambda: with_float(path))
            seconds("polars (not exact for quotes in words)", lambda: with_polars(path))
        result = {
            "words": options.words,
            "dim": options.dim,
            "threads": torch.get_num_threads(),
            "bilex_seconds": round(ours, 3),
            "gensim_seconds": round(gensim, 3),
            "reload_seconds": round(reload, 4),
            "speedup_over_gensim": round(gensim / ours, 2),
            "reload_speedup": round(ours / reload, 2),
        }
        print(json.dumps(result))


def make_file(path: Path, words: int, dim: int) -> None:
    rng = np.random.default_rng(0)
    rows = [
        " ".join(f"{number:.4f}" for number in row)
        for row in (rng.normal(size=(min(words, FORMATTED_ROWS), dim)) / 10).tolist()
    ]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{words} {dim}\n")
        for number in range(words):
            file.write(f"word{number} {rows[number % len(rows)]}\n")


def seconds(name: str, run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    spent = time.perf_counter() - start
    print(f"{name}: {spent:.3f} s", flush=True)
    return spent


def with_gensim(path: Path) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from gensim.models import KeyedVectors
    return KeyedVectors.load_word2vec_format(path)


def with_fromstring(path: Path) -> object:
    with path.open("rb") as file:
        next(file)
        return [np.fromstring(line.split(b" ", 1)[1], np.float32, sep=" ") for line in file]


def with_float(path: Path) -> object:
    with path.open("rb") as file:
        next(file)
        return [np.array([float(field) for field in line.split()[1:]], "f4") for line in file]


def with_polars(path: Path) -> object:
    polars = importlib.import_module("polars")  # not one of our dependencies
    return polars.read_csv(path, has_header=False, skip_rows=1, separator=" ", quote_char=None)


if __name__ == "__main__":
    main()
