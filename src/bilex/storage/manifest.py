"""Metadata of saved files: versions and vocabularies.

A manifest has no time and no path, so that the same input and the same random state give the same
bytes.
"""

from __future__ import annotations

import platform

import numpy as np
import torch

from bilex.storage.hashes import sha256_of_words
from bilex.storage.version import __version__
from bilex.values import EmbeddingSpace


def versions() -> dict[str, str]:
    """Return the versions of bilex, Python and the numerical libraries."""
    return {
        "bilex": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }


def vocabulary(space: EmbeddingSpace) -> dict[str, object]:
    """Return the size and the hash of a vocabulary."""
    return {"words": len(space), "dim": space.dim, "sha256": sha256_of_words(space.words)}
