"""Time writing and reading dictionaries in all formats.

    python benchmarks/speed/dictionaries.py [--words 200000]

Words have two translations each; seconds are processor time. Prints the table of
docs/dictionary/export.md.
Entries are made while they are written, so the memory is what writing itself needs; reading keeps
all entries. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from bilex.errors import SettingError
from bilex.lexicons import DictionaryEntry, DictionaryMetadata, read_dictionary, write_dictionary
from bilex.lexicons.formats import Format, installed_formats

METADATA = DictionaryMetadata(
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
    write_dictionary(entries(words), path, METADATA)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def size_of(path: Path) -> int:
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))


def measure(form: Format, words: int, making: float) -> dict[str, float | None]:
    """Return seconds, size of the file and memory; reading is None if a format is only written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"d{form.extensions[0]}"
        start = time.process_time()
        write_dictionary(entries(words), path, METADATA)
        writing = time.process_time() - start - making
        start = time.process_time()
        try:
            read_dictionary(path)
            reading = round(time.process_time() - start, 1)
        except SettingError:
            reading = None
        return {
            "write_seconds": round(writing, 1),
            "read_seconds": reading,
            "size_mib": round(size_of(path) / 2**20, 1),
            "memory_mib": round(peak_while_writing(words, path), 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    words = parser.parse_args().words
    start = time.process_time()
    count = sum(1 for _ in entries(words))
    making = time.process_time() - start
    print(f"{count:,} entries; making them takes {making:.1f} s, which is not counted below\n")
    print("| Format | Write | Read | Size | Memory to write |")
    print("|---|---|---|---|---|")
    result: dict[str, object] = {"entries": count}
    for name, form in installed_formats().items():
        result[name] = found = measure(form, words, making)
        reading = "–" if found["read_seconds"] is None else f"{found['read_seconds']:.1f} s"
        size, memory = found["size_mib"], found["memory_mib"]
        write = found["write_seconds"]
        print(f"| {name} | {write:.1f} s | {reading} | {size:.0f} MiB | {memory:.0f} MiB |")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
