"""Time writing word vectors, against digits by NumPy and against gensim.

    python benchmarks/speed/writing.py [--words 20000] [--dim 300] [--rounds 3] [--gensim]

"numpy" turns each block of numbers into text by NumPy and joins it. Vectors have length 1 and full
precision, like aligned vectors. Seconds are processor time, the best of the rounds. The last line
is JSON.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from bilex.embeddings import save_embeddings
from bilex.values import EmbeddingSpace, unit_rows

BLOCK = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gensim", action="store_true", help="also time gensim's text writer")
    options = parser.parse_args()
    rng = torch.Generator().manual_seed(0)
    vectors = unit_rows(torch.randn(options.words, options.dim, generator=rng))
    space = EmbeddingSpace(tuple(f"word{i}" for i in range(options.words)), vectors)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways: dict[str, Callable[[], object]] = {
            "text": lambda: save_embeddings(space, folder / "a.vec"),
            "numpy": lambda: with_numpy(space, folder / "b.vec"),
            "word2vec-bin": lambda: save_embeddings(space, folder / "a.bin"),
            "gensim kv": lambda: save_embeddings(space, folder / "a.kv"),
            "safetensors": lambda: save_embeddings(space, folder / "a.safetensors"),
        }
        if options.gensim:
            ways["gensim text"] = lambda: with_gensim(space, folder / "c.vec")
        spent = {way: best(options.rounds, write) for way, write in ways.items()}
        assert (folder / "a.vec").read_bytes() == (folder / "b.vec").read_bytes()
        megabytes = (folder / "a.vec").stat().st_size / 1e6
    for way, seconds in spent.items():
        print(f"{way:<14}{seconds:8.2f} s, {seconds / spent['text']:6.2f} of our text")
    result = {"words": options.words, "dim": options.dim, "text_megabytes": round(megabytes, 1)}
    print(json.dumps({**result, **{way: round(seconds, 3) for way, seconds in spent.items()}}))


def best(rounds: int, write: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        write()
        times.append(time.process_time() - start)
    return min(times)


def with_numpy(space: EmbeddingSpace, path: Path) -> None:
    vectors = space.vectors.numpy()
    with path.open("wb") as file:
        file.write(f"{len(space)} {space.dim}\n".encode())
        for start in range(0, len(space), BLOCK):
            rows = vectors[start : start + BLOCK].astype(np.str_).tolist()
            words = space.words[start : start + BLOCK]
            lines = [f"{word} {' '.join(row)}\n" for word, row in zip(words, rows, strict=True)]
            file.write("".join(lines).encode())


def with_gensim(space: EmbeddingSpace, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from gensim.models import KeyedVectors
    keyed = KeyedVectors(space.dim)
    keyed.add_vectors(list(space.words), space.vectors.numpy())
    keyed.save_word2vec_format(str(path))


if __name__ == "__main__":
    main()
