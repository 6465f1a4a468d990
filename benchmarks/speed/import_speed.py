"""Time the import of seeds from a synthetic Wiktionary extract, and measure its memory.

    python benchmarks/speed/import_speed.py [--bytes 1000000000] [--gzip]

The extract has the shape of one of kaikki.org: of ten entries, two are English with translations
into 60 languages, of which every second has one into Finnish; the others are entries of other
languages with glosses, forms and sounds. The last line is JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bilex.jobs.peak_memory import peak_memory
from bilex.lexicons.imports import import_pairs

CODES = [f"{first}{second}" for first in "abcdgh" for second in "klmnoprstu"]
SYLLABLES = ["ka", "le", "mi", "no", "su", "ta", "ve", "ri", "po", "ju", "ha", "de"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--gzip", action="store_true", help="compress the extract")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "extract.jsonl.gz" if options.gzip else "extract.jsonl")
        make_extract(path, options.bytes)
        before = peak_memory() or 0
        start = time.perf_counter()
        found = import_pairs(path, "en", "fi")
        seconds = time.perf_counter() - start
        result = {
            "file_bytes": path.stat().st_size,
            "entries": found.report.entries,
            "pairs": found.report.pairs,
            "seconds": round(seconds, 2),
            "megabytes_a_second": round(options.bytes / seconds / 1e6, 1),
            "peak_megabytes_before": round(before / 1e6),
            "peak_megabytes": round((peak_memory() or 0) / 1e6),
        }
        print(found.report)
        print(json.dumps(result))


def make_extract(path: Path, size: int) -> None:
    rng = random.Random(0)  # noqa: S311 - not for security
    written = 0
    with gzip.open(path, "wb", 3) if path.suffix == ".gz" else path.open("wb") as file:
        for line in entries(rng):
            written += file.write(line)
            if written >= size:
                return


def entries(rng: random.Random) -> Iterator[bytes]:
    number = 0
    while True:
        number += 1
        yield json.dumps(entry(rng, number), ensure_ascii=False).encode() + b"\n"


def entry(rng: random.Random, number: int) -> dict[str, object]:
    word = make_word(rng)
    if number % 1000 == 7:
        return {"title": word, "redirect": make_word(rng), "pos": "hard-redirect"}
    english = number % 10 < 2
    record: dict[str, object] = {
        "word": word,
        "lang": "English" if english else "Latin",
        "lang_code": "en" if english else rng.choice(CODES),
        "pos": "noun",
        "forms": [{"form": make_word(rng), "tags": ["plural"]} for _ in range(12)],
        "sounds": [{"ipa": f"/{make_word(rng)}/"}],
        "senses": [
            {"glosses": [" ".join(make_word(rng) for _ in range(12))], "tags": ["countable"]}
            for _ in range(4)
        ],
    }
    if english:
        codes = [*CODES, "fi"] if number % 20 < 10 else CODES
        record["translations"] = [
            {"lang": "Some", "code": code, "lang_code": code, "sense": word, "word": make_word(rng)}
            for code in codes
        ]
    return record


def make_word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=4))


if __name__ == "__main__":
    main()
