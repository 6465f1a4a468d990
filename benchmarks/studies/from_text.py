"""Measure what two plain texts and a few seed pairs give: P@1 for more and more text.

    python benchmarks/studies/from_text.py en.txt es.txt seeds.tsv test.tsv --preset bilex
    python benchmarks/studies/from_text.py en.txt es.txt pairs.tsv --seeds 200 --draws 4

With a test file, all seeds are used and all test pairs scored. Without one, each draw takes --seeds
random pairs as seeds and scores the others. For each amount of text, part of each text is taken in
blocks of 25 lines from all over it; the two languages never take the same blocks, so that no
sentence is the translation of another unless the whole of both texts is used ("all").

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

import bilex
from bilex import EmbeddingSpace, Lexicon
from bilex.text import VectorSettings, train_on_text
from bilex.text.words import Words

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
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--draws", type=int, default=1)
    given = parser.parse_args()
    settings = VectorSettings(method=given.method)
    for size in given.sizes:
        begin = time.monotonic()
        source, source_tokens = vectors(given.source, size, settings, 0)
        target, target_tokens = vectors(given.target, size, settings, 1)
        seconds = round(time.monotonic() - begin)
        for seeds, test in splits(given.pairs, given.test, given.seeds, given.draws):
            scores = measure(source, target, seeds, test, given.preset)
            about = {
                "text": size,
                "tokens": [source_tokens, target_tokens],
                "vocabulary": [len(source), len(target)],
                "dim": [source.dim, target.dim],
                "training_seconds": seconds,
            }
            print(json.dumps(about | {"preset": given.preset, "seeds": len(seeds)} | scores))


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


def vectors(
    path: Path, size: str, settings: VectorSettings, side: int
) -> tuple[EmbeddingSpace, int]:
    if size == "all":
        found = train_on_text([path], settings)
        return found.space, found.tokens
    with TemporaryDirectory() as folder:
        part = Path(folder) / path.name
        part.write_text("\n".join(part_of(path, int(size), side)) + "\n", encoding="utf-8")
        found = train_on_text([part], settings)
    return found.space, found.tokens


def part_of(path: Path, size: int, side: int) -> list[str]:
    """Return about `size` words of a text, from blocks of one side first."""
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
        if found >= size:
            break
    return [line for start in sorted(taken) for line in lines[start : start + LINES_OF_A_BLOCK]]


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
        "p_at_1_of_all": round(scores.p_at_1_uncovered_as_errors, 3),
        "fit_seconds": round(time.monotonic() - begin),
    }


if __name__ == "__main__":
    main()
