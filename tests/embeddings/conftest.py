"""Small files in every format and compression."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
import torch

from bilex.embeddings import save_embeddings
from bilex.values import EmbeddingSpace

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WORDS = (
    "the", "Haus", "straße", "привет", "日本語", "😀", "a\u2028b", "no\u00a0break",
    "new york", "x 4", "e.g.", "-0.5",
)  # fmt: skip


@pytest.fixture(scope="session")
def golden() -> Path:
    """Return the folder of files that other programs wrote."""
    return GOLDEN


@pytest.fixture(scope="session")
def space() -> EmbeddingSpace:
    """Return a dozen words, some of them nasty, in four dimensions."""
    rng = torch.Generator().manual_seed(0)
    return EmbeddingSpace(WORDS, torch.randn(len(WORDS), 4, generator=rng))


@pytest.fixture(scope="session")
def valid_files(tmp_path_factory: pytest.TempPathFactory, space: EmbeddingSpace) -> list[Path]:
    """Return one valid file or folder for each format and compression."""
    folder = tmp_path_factory.mktemp("valid")
    for suffix in ("", ".gz", ".bz2", ".xz", ".zst"):
        save_embeddings(space, folder / f"text.vec{suffix}")
    no_spaces = tuple(word.replace(" ", "_") for word in space.words)
    save_embeddings(EmbeddingSpace(no_spaces, space.vectors), folder / "word2vec.bin")
    save_embeddings(EmbeddingSpace(no_spaces, space.vectors), folder / "word2vec.bin.gz")
    save_embeddings(space, folder / "vectors.safetensors")
    save_embeddings(space, folder / "store")
    rows = (folder / "text.vec").read_bytes().split(b"\n", 1)[1]
    (folder / "glove.txt").write_bytes(rows.replace(b"x 4", b"x4"))
    with zipfile.ZipFile(folder / "text.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "text.vec", "text.vec")
    for path in GOLDEN.glob("gensim*"):
        if path.suffix != ".json":
            shutil.copy(path, folder)
    return sorted(path for path in folder.iterdir() if path.suffix != ".npy")
