"""Measure what two plain texts and a few seed pairs give: P@1 for more and more text.

    python benchmarks/studies/from_text.py en.txt es.txt seeds.tsv test.tsv --preset bilex
    python benchmarks/studies/from_text.py en.txt es.txt pairs.tsv --seeds 200 --draws 4

With a test file, all seeds are used and all test pairs scored. Without one, each draw takes --seeds
random pairs as seeds and scores the others. For each amount of text, part of each text is taken in
blocks of 25 lines from all over it; the two languages never take the same blocks, so that no
sentence is the translation of another unless the whole of both texts is used ("all").

Vectors are trained on both texts together for each draw of the seeds; with --alone, on each text.

Prints a JSON line for each amount and draw. P@1 is of test pairs with both words in the
vocabularies; `p_at_1_of_all` counts the others as errors.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

import bilex
from bilex import EmbeddingSpace, Lexicon, TrainedModel
from bilex.calibration import calibration_error
from bilex.text import VectorSettings, train_vectors
from bilex.text.words import Words
from bilex.text_pair import spaces_of_texts

LINES_OF_A_BLOCK = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("test", type=Path, nargs="?")
    parser.add_argument("--sizes", nargs="+", default=["100000", "300000", "1000000"])
    parser.add_argument("--preset", default="bilex")
    parser.add_argument("--method", default=VectorSettings().method)
    parser.add_argument("--context-letters", type=int)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--draws", type=int, default=1)
    given = parser.parse_args()
    settings = VectorSettings(method=given.method, context_letters=given.context_letters)
    for size in given.sizes:
        with TemporaryDirectory() as folder:
            texts = [
                part_of(path, size, side, Path(folder))
                for side, path in enumerate((given.source, given.target))
            ]
            for seeds, test in splits(given.pairs, given.test, given.seeds, given.draws):
                begin = time.monotonic()
                source, target = (
                    [train_vectors([text], settings) for text in texts]
                    if given.alone
                    else spaces_of_texts(texts[0], texts[1], seeds, settings, any_case=False)
                )
                about = {
                    "text": size,
                    "vocabulary": [len(source), len(target)],
                    "dim": source.dim,
                    "training_seconds": round(time.monotonic() - begin),
                }
                scores = measure(source, target, seeds, test, given.preset)
                print(
                    json.dumps(about | {"preset": given.preset, "seeds": len(seeds)} | scores),
                    flush=True,
                )


def splits(
    pairs: Path, test: Path | None, seeds: int, draws: int
) -> Iterator[tuple[Lexicon, Lexicon]]:
    known = bilex.read_lexicon(pairs)
    if test is not None:
        yield known, bilex.read_lexicon(test)
        return
    by_word = sorted(known.translations)
    for draw in range(draws):
        chosen = set(random.Random(draw).sample(by_word, seeds))  # noqa: S311
        parts = (
            [e for e in known.entries if (e.source in chosen) is seed] for seed in (True, False)
        )
        first, second = (Lexicon(tuple(part)) for part in parts)
        yield first, second


def part_of(path: Path, size: str, side: int, folder: Path) -> Path:
    """Write about `size` words of a text, from blocks of one side first, and return the file."""
    if size == "all":
        return path
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = list(range(0, len(lines), LINES_OF_A_BLOCK))
    own, others = starts[side::2], starts[1 - side :: 2]
    for each in (own, others):
        random.Random(0).shuffle(each)  # noqa: S311
    words, taken, found = Words(), [], 0
    for start in own + others:
        block = lines[start : start + LINES_OF_A_BLOCK]
        taken.append(start)
        found += sum(len(words.of(line)) for line in block)
        if found >= int(size):
            break
    kept = [line for start in sorted(taken) for line in lines[start : start + LINES_OF_A_BLOCK]]
    part = folder / f"{side}-{path.name}"
    part.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return part


def measure(
    source: EmbeddingSpace, target: EmbeddingSpace, seeds: Lexicon, test: Lexicon, preset: str
) -> dict[str, object]:
    begin = time.monotonic()
    model = bilex.fit(source, target, seeds, preset=preset, any_case=False)
    found = bilex.evaluate(model, test)
    scores = found.primary
    return {
        "test_pairs": len(test),
        "coverage": round(found.coverage, 3),
        "p_at_1": round(scores.p_at_1, 3),
        "interval": [round(end, 3) for end in scores.p_at_1_interval],
        "p_at_5": round(scores.p_at_5, 3),
        "calibration_error": calibration_of(model, test),
        "p_at_1_of_all": round(scores.p_at_1_uncovered_as_errors, 3),
        "fit_seconds": round(time.monotonic() - begin),
    }


def calibration_of(model: TrainedModel, test: Lexicon) -> float | None:
    """Return by how much probabilities of first answers are off, if there are any."""
    known = [word for word in test.translations if word in model.source.index]
    best = [answer.candidates[0] for answer in model.translate(known, k=1)]
    chances = [one.probability for one in best if one.probability is not None]
    if len(chances) < len(best):
        return None
    right = [one.word in test.translations[w] for w, one in zip(known, best, strict=True)]
    return round(calibration_error(torch.tensor(chances), torch.tensor(right).float()), 3)


if __name__ == "__main__":
    main()
