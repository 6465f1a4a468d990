"""Plain text or word vectors?"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bilex.embeddings import save_embeddings
from bilex.embeddings.save import SaveFormat
from bilex.text import is_text
from twins import make_twins

PROSE = "It was in the year 1902, I think; the house stood empty from 3 to 7.\n" * 20


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        PROSE.replace("\n", " "),
        "Chapter 1\n\n" + PROSE,
        "这是一个很长的中文句子没有任何空格。\n" * 10,
        "ภาษาไทยเป็นภาษาที่ไม่มีช่องว่างระหว่างคำ\n" * 10,
    ],
)
def test_running_text_is_text(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode()))

    assert is_text(tmp_path / "a.txt")
    assert is_text(tmp_path / "a.gz")
    assert is_text(tmp_path)


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.vec", "text"),
        ("a.txt", "text"),
        ("a.txt.gz", "text"),
        ("a", "word2vec-bin"),
        ("a.kv", "gensim"),
        ("a.dat", "safetensors"),
        ("folder", "store"),
    ],
)
def test_vectors_are_not_text(name: str, format: SaveFormat, tmp_path: Path) -> None:
    save_embeddings(make_twins(60, dim=5).source, tmp_path / name, format=format)
    assert not is_text(tmp_path / name)


def test_vectors_without_header_are_not_text(tmp_path: Path) -> None:
    rows = "".join(f"word{i} in two 0.{i} -1e-3\n" for i in range(60))
    (tmp_path / "glove.txt").write_text(rows)
    assert not is_text(tmp_path / "glove.txt")


@pytest.mark.parametrize(
    "text", ["", "\n\n", "too short to be sure\n", "dog\tperro\ncat\tgato\n" * 50, "word\n" * 500]
)
def test_in_doubt_it_is_not_text(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert not is_text(tmp_path / "a.txt")


def test_what_cannot_be_read_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(PROSE.encode() + b"\xff")
    assert not is_text(tmp_path / "a.txt")
    assert not is_text(tmp_path / "missing.txt")
