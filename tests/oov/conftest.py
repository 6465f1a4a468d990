"""A small vocabulary."""

from __future__ import annotations

import pytest
import torch

from bilex.oov import Vocabulary
from bilex.values import EmbeddingSpace, Normalization, NormalizationStep, unit_rows

WORDS = ("of", "house", "dog", "hot", "Paris", "new_york", "post-office", "NATO", "website")


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    vectors = torch.randn(len(WORDS), 5, generator=torch.Generator().manual_seed(0))
    normalization = Normalization((NormalizationStep("unit"),))
    return Vocabulary(EmbeddingSpace(WORDS, unit_rows(vectors)), normalization)
