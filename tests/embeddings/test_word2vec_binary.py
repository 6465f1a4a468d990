from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch

from bilex.embeddings import load_embeddings, word2vec_binary
from bilex.errors import VectorFileError
from load_reports import report_of


def make(rows: int, dim: int, end: bytes = b"") -> bytes:
    vectors = np.arange(rows * dim, dtype="<f4").reshape(rows, dim)
    body = b"".join(f"wört{i} ".encode() + row.tobytes() + end for i, row in enumerate(vectors))
    return f"{rows} {dim}\n".encode() + body


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_rows_may_end_in_a_line_feed_or_not(end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(make(50, 7, end))
    space = load_embeddings(path)
    assert space.words == tuple(f"wört{i}" for i in range(50))
    assert torch.equal(space.vectors, torch.arange(350.0).reshape(50, 7))


def test_rows_across_blocks_and_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word2vec_binary, "_BLOCK", 100)
    path = tmp_path / "a.bin"
    path.write_bytes(make(50, 7, b"\n"))
    done: list[int] = []
    loaded = load_embeddings(path, on_progress=lambda read, _: done.append(read))
    assert torch.equal(loaded.vectors, torch.arange(350.0).reshape(50, 7))
    assert done[-1] == path.stat().st_size


def test_limit_stops_early_so_a_missing_end_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.bin.gz"
    path.write_bytes(gzip.compress(make(50, 7)[:900]))
    loaded = load_embeddings(path, limit=10)
    assert (report_of(loaded).kept, report_of(loaded).words_in_file) == (10, 50)
    with pytest.raises(VectorFileError, match="found 25 words, but the header declares 50"):
        load_embeddings(path)


def test_a_file_of_text_named_bin_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_text("1 2\nthe 0.5 0.25\n")
    assert report_of(load_embeddings(path)).format == "text"


def test_a_word_that_never_ends_is_refused_before_the_end_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"2 2\n" + b"\x01" * 200_000)
    with pytest.raises(VectorFileError, match="found 0 words, but the header declares 2"):
        load_embeddings(path)
