"""Damaged files end in a lexicon or in one of our errors, never in anything else."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from bilex.errors import BilexError
from bilex.lexicons import read_lexicon

SAMPLES = {
    "a.tsv": "dog\tchien\nwell, yes\teh bien\nété\tlato\n".encode() * 3,
    "b.tsv": b"source\ttarget\tweight\tprovenance\ndog\tchien\t0.5\tme\ncat\tchat\t1e-3\t\n",
    "c.csv": b'source,target\n"well, yes",eh bien\n"say ""hi""",dis\n',
    "d.txt": "dog chien\ncat chat\nкот chat\n".encode(),
    "e.jsonl": b'{"source": "a", "target": ["b", "c"], "weight": 2}\n{"src": "x", "trg": "y"}\n',
    "f.tsv.gz": gzip.compress(b"dog\tchien\ncat\tchat\n" * 20, mtime=0),
}
PIECES = [
    *(b"\0", b"\xff", b"\xc3", b"\r", b"\n", b"\t", b'"', b",", b";", b"{", b"}", b"[", b"\\ud800"),
    *(b" ", b"nan", b"-1", b"1e999", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"<html", b"\x1f\x8b"),
]


def mutated(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(damaged))
        end = min(start + rng.choice([0, 0, 1, 3, 20]), len(damaged))
        damaged[start:end] = rng.choice([*PIECES, b"", bytes(damaged[: rng.randint(0, 30)])])
    return bytes(damaged[: rng.choice([len(damaged), rng.randint(0, len(damaged))])])


def fuzz(folder: Path, rounds: int) -> None:
    rng = random.Random(0)
    for _ in range(rounds):
        name = rng.choice(list(SAMPLES))
        path = folder / name
        path.write_bytes(mutated(SAMPLES[name], rng))
        try:
            loaded = read_lexicon(path)
        except BilexError:
            continue
        assert loaded.report is not None
        assert len(loaded) == loaded.report.entries > 0
        assert all(entry.source and entry.target for entry in loaded.entries)


def test_damaged_files_end_in_a_lexicon_or_an_error(tmp_path: Path) -> None:
    fuzz(tmp_path, 500)


@pytest.mark.slow
def test_many_damaged_files_end_in_a_lexicon_or_an_error(tmp_path: Path) -> None:
    fuzz(tmp_path, 20_000)
