"""Read and write word vectors in all common formats, with strict checks and an optional cache."""

from __future__ import annotations

from bilex.embeddings.load import declared_size, load_embeddings
from bilex.embeddings.save import save_embeddings

__all__ = ["declared_size", "load_embeddings", "save_embeddings"]
