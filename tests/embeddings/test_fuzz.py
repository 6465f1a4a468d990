"""Damaged files end in a usable space or in an error of ours: no crash, no hang, no NaN."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import BilexError

Mutation = Callable[[random.Random, bytearray], None]


def flip_bits(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 4)):
        data[somewhere(rng, data)] ^= 1 << rng.randrange(8)


def set_bytes(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 4)):
        data[somewhere(rng, data)] = rng.choice((0, 1, 9, 10, 13, 32, 46, 48, 57, 127, 128, 255))


def truncate(rng: random.Random, data: bytearray) -> None:
    del data[somewhere(rng, data) :]


def insert(rng: random.Random, data: bytearray) -> None:
    position = somewhere(rng, data)
    data[position:position] = rng.randbytes(rng.randint(1, 9))


def remove(rng: random.Random, data: bytearray) -> None:
    position = somewhere(rng, data)
    del data[position : position + rng.randint(1, 20)]


def swap(rng: random.Random, data: bytearray) -> None:
    first, second = sorted((somewhere(rng, data), somewhere(rng, data)))
    size = min(rng.randint(1, 40), second - first)
    one, other = data[first : first + size], data[second : second + size]
    data[second : second + size], data[first : first + size] = one, other


def repeat(rng: random.Random, data: bytearray) -> None:
    position = somewhere(rng, data)
    data[position:position] = data[position : position + rng.randint(1, 200)]


def put_text(rng: random.Random, data: bytearray) -> None:
    texts = (b"nan", b"inf", b"1e999", b"99999999999", b"-", b"\r\n", b"\n\n", b"  ", b"\xff\xfe")
    position = somewhere(rng, data)
    text = rng.choice(texts)
    data[position : position + rng.choice((0, len(text)))] = text


MUTATIONS: tuple[Mutation, ...] = (
    flip_bits, set_bytes, truncate, insert, remove, swap, repeat, put_text,
)  # fmt: skip


def somewhere(rng: random.Random, data: bytearray) -> int:
    """Return a position, as often as not among the first bytes, where headers are."""
    return rng.randrange(max(1, min(len(data), rng.choice((64, len(data))))))


def mutate(rng: random.Random, path: Path, original: Path) -> None:
    data = bytearray(original.read_bytes())
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if data:
            rng.choice(MUTATIONS)(rng, data)
    path.write_bytes(data)


def load_one(rng: random.Random, folder: Path, original: Path) -> str:
    """Damage a copy of a file, a folder or a file with another beside it; load it."""
    target = folder / original.name
    if original.is_dir():
        shutil.copytree(original, target, dirs_exist_ok=True)
        damaged = rng.choice(sorted(original.iterdir()))
        mutate(rng, target / damaged.name, damaged)
    else:
        shutil.copy(original, target)
        beside = original.with_name(original.name + ".vectors.npy")
        if beside.exists():
            shutil.copy(beside, folder)
        damaged = rng.choice((original, beside)) if beside.exists() else original
        mutate(rng, folder / damaged.name, damaged)
    settings = rng.choice(({}, {"limit": 3}, {"lowercase": True}))
    try:
        space = load_embeddings(target, **settings)
    except BilexError:
        return "refused"
    assert len(set(space.words)) == len(space) > 0
    assert all(space.words)
    assert torch.isfinite(space.vectors).all()
    try:
        spelled = space.subwords.vector("größe") if space.subwords is not None else None
    except BilexError:
        return "refused"
    assert spelled is None or torch.isfinite(spelled).all()
    return "loaded"


def run(count: int, first: int, folder: Path, valid_files: list[Path]) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    for number in range(first, first + count):
        original = valid_files[number % len(valid_files)]
        try:
            outcomes[load_one(random.Random(number), folder, original)] += 1
        except Exception as error:  # noqa: BLE001 - any is a finding
            pytest.fail(f"mutation {number} of {original.name}: {error!r}")
    return outcomes


@pytest.mark.parametrize("part", range(12))
def test_damaged_files_load_or_are_refused(
    part: int, tmp_path: Path, valid_files: list[Path]
) -> None:
    outcomes = run(130, part * 130, tmp_path, valid_files)
    assert min(outcomes["loaded"], outcomes["refused"]) >= 3


@pytest.mark.slow
def test_twenty_thousand_damaged_files_load_or_are_refused(
    tmp_path: Path, valid_files: list[Path]
) -> None:
    outcomes = run(20_000, 1_000_000, tmp_path, valid_files)
    assert outcomes.total() == 20_000
