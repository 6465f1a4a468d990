"""The sample as Python objects."""

from __future__ import annotations

from typing import NamedTuple

from bilex.embeddings import load_embeddings
from bilex.lexicons import read_lexicon
from bilex.sample.files import sample_folder
from bilex.values import EmbeddingSpace, Lexicon


class Sample(NamedTuple):
    """Vectors of English and Spanish, pairs to learn from, and pairs to test with."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    seeds: Lexicon
    test: Lexicon


def load_sample() -> Sample:
    """Return the sample that is part of the package.

    Example:
        >>> source, target, seeds, test = load_sample()
        >>> "water" in source.index, source.dim
        (True, 100)
    """
    folder = sample_folder()
    return Sample(
        load_embeddings(folder / "en.vec.gz"),
        load_embeddings(folder / "es.vec.gz"),
        read_lexicon(folder / "seeds.tsv"),
        read_lexicon(folder / "test.tsv"),
    )
