"""How long dictionaries take to write and to read, format by format.

Run: python benchmarks/export.py [--words 200000]
Two translations a word; times are of the processor. Prints the table of docs/export.md. Entries
are made as they are written, so the memory is what writing itself needs; reading keeps them all.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import SettingError
from bilex.export import FORMATS, read_dictionary, write_dictionary

FACTS = DictionaryFacts(
    source_language="en", target_language="ru", title="Benchmark", license="CC0-1.0"
)


def entries(words: int) -> Iterator[DictionaryEntry]:
    """Make words of about the usual length, the same at each call."""
    rng = random.Random(0)  # noqa: S311 - the same words each time
    for number in range(words):
        source = f"{rng.choice('abcdefghij')}ight{number}"
        for rank in (1, 2):
            target = f"слово{rng.randrange(words)}"
            probability, score = round(rng.random(), 6), round(rng.random(), 6)
            yield DictionaryEntry(
                source,
                target,
                probability,
                score,
                rank,
                rng.randrange(1, 50),
                "induced",
                "css-4f1b",
            )


def peak_while_writing(words: int, path: Path) -> float:
    tracemalloc.start()
    write_dictionary(entries(words), path, FACTS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def size_of(path: Path) -> int:
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=200_000)
    words = parser.parse_args().words
    start = time.process_time()
    count = sum(1 for _ in entries(words))
    making = time.process_time() - start
    print(f"{count:,} entries; making them takes {making:.1f} s, which is left out below\n")
    print("| Format | Write | Read | Size | Memory to write |")
    print("|---|---|---|---|---|")
    for name, form in FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"d{form.endings[0]}"
            start = time.process_time()
            write_dictionary(entries(words), path, FACTS)
            writing = time.process_time() - start - making
            start = time.process_time()
            try:
                read_dictionary(path)
                reading = f"{time.process_time() - start:.1f} s"
            except SettingError:  # only written
                reading = "–"
            size = size_of(path) / 2**20
            peak = peak_while_writing(words, path)
            print(f"| {name} | {writing:.1f} s | {reading} | {size:.0f} MiB | {peak:.0f} MiB |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
