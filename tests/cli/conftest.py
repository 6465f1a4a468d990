"""Files and models for the commands to work on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.values import Lexicon
from conftest_types import Bilex
from twins import make_twins


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write a vocabulary of 50 words on each side, three seed pairs and a test set."""
    twins = make_twins(50, dim=3)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(Lexicon(twins.lexicon.entries[:3]), tmp_path / "seeds.tsv")
    write_lexicon(Lexicon(twins.lexicon.entries[10:30]), tmp_path / "test.tsv")
    return tmp_path


@pytest.fixture
def model(bilex: Bilex, tiny: Path) -> Path:
    fit = ("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "procrustes")
    assert bilex(*fit).code == 0
    return tiny / "m"
