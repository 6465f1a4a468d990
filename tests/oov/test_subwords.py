from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from bilex.errors import DimensionError
from bilex.oov import Subwords, Vocabulary, agreement
from bilex.values import Vector


class Table:
    """Has vectors of the given words."""

    def __init__(self, vectors: dict[str, Vector]) -> None:
        self._vectors = vectors

    def vector(self, word: str) -> Vector | None:
        return self._vectors.get(word)


def test_vectors_of_subwords_are_normalized_like_the_space(vocabulary: Vocabulary) -> None:
    able = replace(vocabulary, resolvers=(Subwords(Table({"gnu": torch.full((5,), 2.0)})),))
    found = able.resolve("gnu")
    assert (found.how, found.parts) == ("subwords", ())
    torch.testing.assert_close(found.vector, torch.full((5,), 5**-0.5))
    assert able.resolve("gnat").vector is None


def test_subwords_of_another_size_are_refused(vocabulary: Vocabulary) -> None:
    able = replace(vocabulary, resolvers=(Subwords(Table({"gnu": torch.ones(4)})),))
    with pytest.raises(DimensionError, match="has 4 dimensions, expected 5"):
        able.resolve("gnu")


def test_agreement_is_high_for_the_models_own_subwords_and_low_for_others(
    vocabulary: Vocabulary,
) -> None:
    rows = dict(zip(vocabulary.space.words, vocabulary.space.vectors, strict=True))
    assert agreement(Table({w: 3 * v for w, v in rows.items()}), vocabulary) == pytest.approx(1)
    shifted = dict(zip(rows, [*list(rows.values())[1:], rows["of"]], strict=True))
    assert agreement(Table(shifted), vocabulary) < 0.7
    assert agreement(Table({}), vocabulary) == 0.0
