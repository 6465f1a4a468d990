"""Damaged resources end in pairs or in an error of ours, soon and without much memory.

`pytest tests/fuzz/test_import_fuzz.py` reads about 500 damaged files;
`BILEX_FUZZ_ROUNDS=20000 pytest tests/fuzz/test_import_fuzz.py -m slow -s` reads that many over all
importers, from the seed BILEX_FUZZ_SEED on.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from bilex.lexicons.entries import checked, checked_weight
from bilex.lexicons.imports import import_pairs
from fuzz_loop import run_limited
from fuzz_readers import Reader
from import_resources import WRITERS, write_zipped_panlex
from mutation import (
    Mutation,
    gzipped,
    json_file,
    json_lines,
    some_bytes,
    words_and_numbers,
    xml_file,
)

ROUNDS_IN_CI = 500
ROUNDS = int(os.environ.get("BILEX_FUZZ_ROUNDS", "100_000"))
SEED = int(os.environ.get("BILEX_FUZZ_SEED", "0"))


def dump(rng: random.Random, data: bytes) -> bytes:
    """Damage the lines of a JSON array, one object a line."""
    inner = data.removeprefix(b"[\n").removesuffix(b"\n]\n").replace(b",\n", b"\n")
    damaged = json_lines(rng, inner + b"\n").rstrip(b"\n").replace(b"\n", b",\n")
    return b"[\n" + damaged + rng.choice((b"\n]\n", b"\n]\n", b"\n", b""))


FILES = {
    "apertium": "apertium-eng-fin.eng-fin.dix",
    "cldf": "Wordlist-metadata.json",
    "dictd": "freedict-eng-fin.index",
    "freedict": "eng-fin.tei",
    "lift": "words.lift",
    "opus": "en-fi.dic.gz",
    "panlex": ".",
    "panlex, zipped": "panlex.zip",
    "smol": "gatitos.jsonl",
    "wikidata": "lexemes.json",
    "wiktionary": "kaikki.jsonl",
}
TABLE = dict.fromkeys(("expr.csv", "denotation.csv", "meaning.csv"), words_and_numbers)
MUTATIONS: dict[str, dict[str, Mutation]] = {
    "apertium": {".dix": xml_file},
    "cldf": {
        "-metadata.json": json_file,
        "forms.csv": words_and_numbers,
        "languages.csv": some_bytes,
    },
    "dictd": {".index": words_and_numbers, ".dict.dz": gzipped(words_and_numbers)},
    "freedict": {".tei": xml_file},
    "lift": {".lift": xml_file},
    "opus": {".dic.gz": gzipped(words_and_numbers)},
    "panlex": {**TABLE, "langvar.csv": words_and_numbers, "source.csv": words_and_numbers},
    "panlex, zipped": {".zip": some_bytes},
    "smol": {".jsonl": json_lines},
    "wikidata": {"lexemes.json": dump},
    "wiktionary": {".jsonl": json_lines},
}


def reader(name: str) -> Reader:
    importer = name.partition(",")[0]
    write = write_zipped_panlex if name == "panlex, zipped" else WRITERS[importer]

    def read(folder: Path) -> None:
        path = folder / FILES.get(name, FILES[importer])
        other = path if importer == "cldf" else None
        for options in ({}, {"importer": importer, "other": other}):
            found = import_pairs(path, "en", "fi", **options)  # type: ignore[arg-type]
            assert found.entries
            for entry in found.entries:
                checked(entry.source, "source")
                checked(entry.target, "target")
                checked_weight(entry.weight)
            assert len(f"{found!r} {found.report!r}") < 100_000

    return Reader(name, write, MUTATIONS[name], read, 1)


EVERY_RESOURCE = pytest.mark.parametrize("name", sorted(MUTATIONS))


@EVERY_RESOURCE
def test_damaged_resources_are_imported_or_refused(name: str, tmp_path: Path) -> None:
    rounds = ROUNDS_IN_CI // len(MUTATIONS)
    outcome = run_limited(reader(name), tmp_path, first_seed=0, rounds=rounds)

    assert not outcome.findings, "\n".join(outcome.findings)
    assert outcome.refused


@pytest.mark.slow
@EVERY_RESOURCE
def test_very_many_damaged_resources_are_imported_or_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds = ROUNDS // len(MUTATIONS) + 1
    outcome = run_limited(reader(name), tmp_path, first_seed=SEED, rounds=rounds)

    with capsys.disabled():
        print(f"\n{name}: {outcome.summary()}")  # noqa: T201
    assert not outcome.findings, "\n".join(outcome.findings)
