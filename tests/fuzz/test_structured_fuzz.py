"""Damaged files end in a result or in an error of ours, soon and without much memory.

`pytest tests/fuzz` reads about 5,000 damaged files; `pytest tests/fuzz -m slow -s` reads
BILEX_FUZZ_ROUNDS files, a million if not set, from the seed BILEX_FUZZ_SEED on. To repeat a
finding, give the seed in its message and BILEX_FUZZ_ROUNDS=1, and choose the reader with -k.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from fuzz_loop import Outcome, run_limited
from fuzz_readers import READERS, Reader

ROUNDS_IN_CI = 5_000
ROUNDS = int(os.environ.get("BILEX_FUZZ_ROUNDS", "1_000_000"))
SEED = int(os.environ.get("BILEX_FUZZ_SEED", "0"))

EVERY_READER = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


def share_of(reader: Reader, rounds: int) -> int:
    return max(1, rounds * reader.share // sum(other.share for other in READERS))


def check(reader: Reader, outcome: Outcome) -> None:
    assert not outcome.findings, f"{reader.name}:\n" + "\n".join(outcome.findings)


@EVERY_READER
def test_damaged_files_are_read_or_refused(reader: Reader, tmp_path: Path) -> None:
    outcome = run_limited(reader, tmp_path, first_seed=0, rounds=share_of(reader, ROUNDS_IN_CI))
    check(reader, outcome)
    assert outcome.refused


@EVERY_READER
def test_undamaged_files_are_read(reader: Reader, tmp_path: Path) -> None:
    reader.prepare(tmp_path)
    if "state.pickle" not in reader.mutations:  # a state becomes a file when it is mutated
        reader.read(tmp_path)


@pytest.mark.slow
@EVERY_READER
def test_a_million_damaged_files_are_read_or_refused(
    reader: Reader, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_limited(reader, tmp_path, first_seed=SEED, rounds=share_of(reader, ROUNDS))
    with capsys.disabled():
        print(f"\n{reader.name}: {outcome.summary()}")  # noqa: T201
    check(reader, outcome)


@EVERY_READER
def test_a_seed_repeats_its_input(reader: Reader, tmp_path: Path) -> None:
    reader.prepare(tmp_path)
    files = [path for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    for name, mutation in reader.mutations.items():
        data = next(path for path in files if path.name.endswith(name)).read_bytes()
        assert mutation(random.Random(3), data) == mutation(random.Random(3), data)
