from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from bilex.embeddings import load_embeddings, save_embeddings
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace
from load_reports import report_of


@pytest.fixture
def store(tmp_path: Path) -> Path:
    vectors = torch.tensor([[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]])
    save_embeddings(EmbeddingSpace(("a", "b c", "A"), vectors), tmp_path / "store")
    return tmp_path / "store"


def change(store: Path, **values: object) -> None:
    path = store / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_a_store_is_plain_files_that_others_can_read(store: Path) -> None:
    assert (store / "words.txt").read_text(encoding="utf-8").split("\n") == ["a", "b c", "A"]
    assert np.load(store / "vectors.npy").tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]
    report = report_of(load_embeddings(store))
    assert (report.format, report.zero_vectors, report.words_with_spaces) == ("store", 1, 1)


def test_a_store_can_be_cut_and_lowercased(store: Path) -> None:
    assert load_embeddings(store, limit=2).words == ("a", "b c")
    loaded = load_embeddings(store, lowercase=True)
    assert loaded.words == ("a", "b c")
    assert report_of(loaded).merged_case_variants == 1


def test_large_numbers_whose_sum_is_infinite_are_fine(tmp_path: Path) -> None:
    space = EmbeddingSpace(("a", "b"), torch.full((2, 3), 3e38))
    save_embeddings(space, tmp_path / "store")
    assert torch.equal(load_embeddings(tmp_path / "store").vectors, space.vectors)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda s: (s / "manifest.json").unlink(),
            "a folder without manifest.json, so not a bilex",
        ),
        (lambda s: (s / "manifest.json").write_text("{"), "its manifest.json is not JSON"),
        (lambda s: (s / "manifest.json").write_text("[" * 10**5), "its manifest.json is not JSON"),
        (lambda s: (s / "manifest.json").write_text("[]"), "does not describe a bilex store"),
        (lambda s: change(s, version=99), "a store of version 99, expected 1: write it again"),
        (lambda s: change(s, words=4), "found 3 words for 4 vectors"),
        (lambda s: change(s, words="3"), "found 3 words for -1 vectors"),
        (lambda s: change(s, dim=10**12), r"not a matrix of 3 x 1000000000000 float32"),
        (lambda s: change(s, dim=0), "claims 3 words of 0 dimensions"),
        (lambda s: change(s, report={}), "the report in its manifest.json is incomplete"),
        (lambda s: (s / "words.txt").unlink(), "words.txt is missing"),
        (lambda s: (s / "words.txt").write_text("a\nb\nc"), "words.txt was changed after"),
        (lambda s: (s / "vectors.npy").unlink(), "vectors.npy is missing"),
        (lambda s: (s / "vectors.npy").write_bytes(b"x"), "vectors.npy is not a matrix of 3 x 2"),
        (
            lambda s: np.save(s / "vectors.npy", np.full((3, 2), np.nan, np.float32)),
            "its vectors contain NaN or infinity",
        ),
    ],
)
def test_damaged_stores_are_refused(
    damage: Callable[[Path], object], message: str, store: Path
) -> None:
    damage(store)
    with pytest.raises(VectorFileError, match=message):
        load_embeddings(store)
