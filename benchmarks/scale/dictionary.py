"""Make a dictionary of a very large vocabulary with the command line, from vectors to a file.

    python benchmarks/scale/dictionary.py DATA WORK --words 1000000

The languages are the twins of `search.py`. The first words of the first language are Russian words,
the others such a word and a number; words of the second language have other letters in their place,
so that spelling does not tell translations, but related words still look alike. Seeds are every
fifth of the 5,000 most frequent words. `bilex fit` and `bilex induce` run one after the other, each
in its own process; the same command again continues after the last one that ended. The last line is
JSON: time and memory of each, how many entries are right, and how many bilex expected to be right,
of all entries and of those that are expected to be right nine times in ten.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean

import torch
from search import twins

from bilex import DictionaryEntry, EmbeddingSpace, load_embeddings, read_dictionary
from bilex.candidates.threshold import threshold_for_precision
from bilex.embeddings import save_embeddings
from bilex.values import unit_rows

SEEDED, EVERY = 5_000, 5
PRECISION = 0.9
RANGES = ((0, 10_000), (10_000, 100_000), (100_000, 1_000_000), (1_000_000, 2_000_000))


def source_words(real: tuple[str, ...], words: int) -> tuple[str, ...]:
    """Return a name for each row of the first language."""
    return tuple(
        real[row % len(real)] + (f"_{row // len(real)}" if row >= len(real) else "")
        for row in range(words)
    )


def other_letters(words: tuple[str, ...]) -> tuple[str, ...]:
    """Replace each character by another one of the same kind, the same for all words."""
    kinds: dict[tuple[bool, bool, bool], list[str]] = {}
    for letter in sorted(set("".join(words))):
        kind = letter.isalpha(), letter.islower(), letter.isdecimal()
        kinds.setdefault(kind, []).append(letter)
    draw = random.Random(0)  # noqa: S311
    replaced: dict[str, str] = {}
    for letters in kinds.values():
        others = letters[:]
        draw.shuffle(others)
        replaced.update(zip(letters, others, strict=True))
    table = str.maketrans("".join(replaced), "".join(replaced.values()))
    return tuple(word.translate(table) for word in words)


def write_problem(data: Path, words: int, folder: Path) -> dict[str, str]:
    """Write vectors of both languages and seeds; return the translation of each word."""
    space = load_embeddings(data / "vectors" / "ru.vec.gz")
    names = source_words(space.words, words)
    others = other_letters(names)
    if (folder / "seeds.tsv").exists():  # written last
        return dict(zip(names, others, strict=True))
    real = unit_rows(space.vectors)
    source, target = twins(unit_rows(real - real.mean(0)), words)
    save_embeddings(EmbeddingSpace(names, source), folder / "source.bin")
    save_embeddings(EmbeddingSpace(others, target), folder / "target.bin")
    pairs = zip(names[:SEEDED:EVERY], others[:SEEDED:EVERY], strict=True)
    (folder / "seeds.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    return dict(zip(names, others, strict=True))


def run(arguments: list[str], folder: Path) -> dict[str, float]:
    """Run a command of bilex, unless it has been run; return its time and memory."""
    output = arguments[arguments.index("-o") + 1]
    costs = folder / f"{output}.cost.json"
    if costs.exists():
        found: dict[str, float] = json.loads(costs.read_text())
        return found
    begin = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "bilex", *arguments], cwd=folder
    )
    _, status, usage = os.wait4(process.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"bilex {arguments[0]} ended with {code}")
    cost = {
        "seconds": round(time.perf_counter() - begin),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime),
        "peak_gib": round(usage.ru_maxrss / 2**20, 2),
    }
    costs.write_text(json.dumps(cost))
    return cost


def precise(entries: list[DictionaryEntry], precision: float) -> list[DictionaryEntry]:
    """Return the most probable entries whose mean probability is at least the precision."""
    probabilities = torch.tensor([entry.probability or 0.0 for entry in entries])
    least = threshold_for_precision(probabilities, precision)
    kept = (probabilities >= least).tolist()
    return [entry for entry, keep in zip(entries, kept, strict=True) if keep]


def right_entries(entries: list[DictionaryEntry], twin: dict[str, str]) -> dict[str, object]:
    """Return the share of entries that are right, and the share that was expected."""
    rows = {word: row for row, word in enumerate(twin)}
    found: dict[str, object] = {}
    for first, last in ((0, len(rows)), *RANGES):
        some = [entry for entry in entries if first <= rows[entry.source] < last]
        if some:
            found[f"words {first} to {last}"] = {
                "entries": len(some),
                "right": round(mean(twin[each.source] == each.target for each in some), 4),
                "expected": round(mean(each.probability or 0.0 for each in some), 4),
            }
    return found


def main() -> None:
    """Make the files, then the model and two dictionaries."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--fit", default="--no-answers --no-cache", help="options of bilex fit")
    given = parser.parse_args()
    folder: Path = given.work
    folder.mkdir(parents=True, exist_ok=True)
    twin = write_problem(given.data, given.words, folder)
    files = ["source.bin", "target.bin", "seeds.tsv"]
    found: dict[str, object] = {
        "words": given.words,
        "fit": run(["fit", *files, "-o", "model", *given.fit.split()], folder),
        "induce": run(["induce", "model", "-k", "1", "-o", "all.tsv"], folder),
    }
    dictionary = read_dictionary(folder / "all.tsv").entries
    entries = [entry for entry in dictionary if entry.origin != "seed"]
    found |= {
        "all": right_entries(entries, twin),
        "precise": right_entries(precise(entries, PRECISION), twin),
    }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
