"""Make a model of two large vocabularies with probabilities and all answers, to measure serving.

    python benchmarks/service/large_model.py DATA MODEL           # 200,000 words of each language

Words and vectors are those of DATA/vectors/en.vec.gz, repeated with noise up to the size; the other
language is the same with a rotation and more noise. Words are real ones with an ending, so that
their lengths are real, too.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from string import ascii_lowercase

import torch

import bilex
from bilex.config import load_preset
from bilex.values import EmbeddingSpace, Lexicon, unit_rows


def spaces(data: Path, size: int) -> tuple[EmbeddingSpace, EmbeddingSpace]:
    known = bilex.load_embeddings(data / "vectors/en.vec.gz")
    rng = torch.Generator().manual_seed(0)
    dim = known.dim
    rows = known.vectors[torch.arange(size) % len(known)]
    rows = unit_rows(rows + 0.5 / dim**0.5 * torch.randn(size, dim, generator=rng))
    rotation = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
    other = unit_rows(rows + 0.3 / dim**0.5 * torch.randn(size, dim, generator=rng)) @ rotation
    words = [known.words[i % len(known)] + _ending(i // len(known)) for i in range(size)]
    return EmbeddingSpace(tuple(words), rows), EmbeddingSpace(tuple(words[::-1]), other.flip(0))


def _ending(repetition: int) -> str:
    return f"qx{ascii_lowercase[repetition]}" if repetition else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--words", type=int, default=200_000)
    chosen = parser.parse_args()
    source, target = spaces(chosen.data, chosen.words)
    seeds = Lexicon.of([(word, word) for word in source.words[:5_000:5]])
    tables = {**load_preset("procrustes"), "calibration": load_preset("css")["calibration"]}
    begin = time.perf_counter()
    model = bilex.fit(source, target, seeds, preset=tables)
    fitted = time.perf_counter()
    model.save(chosen.model)
    model = model.with_answers()
    model.save(chosen.model)
    ended = time.perf_counter()
    print(
        json.dumps(
            {
                "words": chosen.words,
                "fit_seconds": round(fitted - begin),
                "answers_seconds": round(ended - fitted),
                "calibrated": model.is_calibrated(),
            }
        )
    )


if __name__ == "__main__":
    main()
