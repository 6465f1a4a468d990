"""Word vectors in and out: every common format, strictly checked, fast, and cached if wanted."""

from __future__ import annotations

from bilex.embeddings.load import load_embeddings
from bilex.embeddings.report import LoadedEmbeddings, LoadReport
from bilex.embeddings.save import save_embeddings

__all__ = ["LoadReport", "LoadedEmbeddings", "load_embeddings", "save_embeddings"]
