"""Time finding the terms of a dictionary in a text, and check what similar forms are.

    python benchmarks/service/glossary_speed.py VECTORS_FOLDER [--terms 200000] [--rounds 200]

Terms are the words of the .vec.gz files of the folder, such as en.vec.gz; the text of words with
spaces is the sample's, that without spaces is made of the words of zh.vec.gz. Prints one JSON
object per line; times are of one thread, and `seconds` are processor time. Forms that were left
out of a vocabulary, and the terms they were found by, are compared by the lemmas of simplemma.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import simplemma

from bilex.glossary import TermIndex, make_glossary
from bilex.lexicons import DictionaryEntry
from bilex.sample import sample_folder

SPACED = ("en", "fr", "ru", "fi", "tr")
UNSPACED = ("zh", "ja")


def words_of(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        return [line.split(" ", 1)[0] for line in lines]


def vocabulary(folder: Path, languages: tuple[str, ...], size: int) -> list[str]:
    """Return so many different terms: words of all languages, then pairs of them."""
    lists = [words_of(folder / f"{language}.vec.gz") for language in languages]
    found = dict.fromkeys(word for each in lists for word in each)
    rng = random.Random(0)  # noqa: S311 - the same terms each time
    joint = "" if languages == UNSPACED else " "
    while len(found) < size:
        found[joint.join(rng.choices(lists[0][:5_000], k=2))] = None
    return list(islice(found, size))


def say(what: str, **figures: object) -> None:
    print(json.dumps({"what": what, **figures}), flush=True)


def built(what: str, terms: list[str]) -> TermIndex:
    seconds = []
    for _ in range(3):
        start = time.thread_time()
        index = TermIndex(terms)
        seconds.append(time.thread_time() - start)
    tracemalloc.start()
    index = TermIndex(terms)
    memory = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    say(
        f"build, {what}",
        terms=len(terms),
        seconds=round(sorted(seconds)[1], 3),
        memory_mib=round(memory[0] / 2**20, 1),
        peak_mib=round(memory[1] / 2**20, 1),
    )
    return index


def timed(call: Callable[[str], object], texts: list[str]) -> dict[str, float]:
    """Return percentiles of the time on the clock, and of the processor time, for each text."""
    found = []
    for text in texts:
        start, start_processor = time.perf_counter(), time.thread_time()
        call(text)
        processor = time.thread_time() - start_processor
        found.append((time.perf_counter() - start, processor))
    clock, processor = (1_000 * np.percentile(found, [50, 95, 99], axis=0).T).round(2).tolist()
    names = ("p50_ms", "p95_ms", "p99_ms")
    used = {f"processor_{name}": each for name, each in zip(names, processor, strict=True)}
    return {**dict(zip(names, clock, strict=True)), **used}


def sample_words() -> list[str]:
    with gzip.open(sample_folder() / "en.txt.gz", "rt", encoding="utf-8") as lines:
        return [word for line in lines for word in line.split(" ")]


def spaced_texts(count: int, size: int) -> list[str]:
    words, rng = sample_words(), random.Random(0)  # noqa: S311
    starts = [rng.randrange(len(words) - size) for _ in range(count)]
    return [" ".join(words[start : start + size]) for start in starts]


def unspaced_texts(words: list[str], count: int, size: int) -> list[str]:
    rng = random.Random(0)  # noqa: S311
    chances = [1 / rank for rank in range(1, len(words) + 1)]  # Zipf's law
    return ["".join(rng.choices(words, chances, k=size))[:size] for _ in range(count)]


def similar_forms(language: str, words: list[str]) -> None:
    """Leave out a tenth of the words, and find the others by similarity."""
    rng = random.Random(0)  # noqa: S311
    left_out = set(rng.sample(words, len(words) // 10))
    index = TermIndex([word for word in words if word not in left_out])
    found = [
        (form, index.terms[match.row])
        for form in sorted(left_out)
        for match in index.find(form)
        if match.how == "similar" and match.end == len(form) and match.start == 0
    ]
    right = [_same_lemma(*pair, language) for pair in found]
    wrong = [f"{form} → {term}" for (form, term), ok in zip(found, right, strict=True) if not ok]
    say(
        "similar forms",
        language=language,
        terms=len(index),
        left_out=sum(len(word) >= 5 for word in left_out),
        found=len(found),
        same_lemma=round(sum(right) / max(len(found), 1), 3),
        others=rng.sample(wrong, min(12, len(wrong))),
    )


def _same_lemma(form: str, term: str, language: str) -> bool:
    lemmas = [simplemma.lemmatize(word, lang=language).lower() for word in (form, term)]
    return lemmas[0] == lemmas[1] or lemmas[0] == term or lemmas[1] == form


def hostile() -> Iterator[tuple[str, str]]:
    yield "a", "a"
    yield "kanji", "日"
    yield "spaces", " "
    yield "marks", "e\u0316\u0301"
    yield "half characters", "\ud800"
    yield "Thai marks", "ก\u0e48\u0e38"
    yield "words", "dogs "
    yield "apostrophes", "a'"
    yield "hyphens", "a-"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--terms", type=int, default=200_000)
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--no-similar-forms", action="store_true")
    given = options.parse_args()

    spaced = built("spaced", vocabulary(given.folder, SPACED, given.terms))
    unspaced = built("unspaced", vocabulary(given.folder, UNSPACED, given.terms))
    cases = {
        "2,000 words": (spaced, spaced_texts(given.rounds, 2_000)),
        "4,000 characters": (
            unspaced,
            unspaced_texts(words_of(given.folder / "zh.vec.gz"), given.rounds, 4_000),
        ),
    }
    for what, (index, texts) in cases.items():
        found = len(index.find(texts[0]))
        say(f"find, {what}", matches=found, **timed(index.find, texts))

        def glossary(text: str, index: TermIndex = index) -> object:
            entries = [DictionaryEntry("a", "b", 0.9)]
            return make_glossary(text, index, lambda row: entries)

        say(f"glossary, {what}", **timed(glossary, texts))
    both = TermIndex([*spaced.terms, *unspaced.terms])
    for name, part in hostile():
        for size in (25_000, 50_000, 100_000):
            text = (part * size)[:size]
            figures = timed(both.find, [text] * 3)
            say(
                "hostile text", text=name, characters=size, processor_ms=figures["processor_p50_ms"]
            )
    if not given.no_similar_forms:
        for language in ("en", "es"):
            similar_forms(language, words_of(sample_folder() / f"{language}.vec.gz"))
        for language in SPACED:
            similar_forms(language, words_of(given.folder / f"{language}.vec.gz"))


if __name__ == "__main__":
    main()
