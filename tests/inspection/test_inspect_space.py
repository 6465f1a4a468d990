"""Checking one space."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.inspection import inspect_space
from bilex.inspection.hubness import measure_hubness
from bilex.inspection.word_shapes import describe_words
from bilex.values import EmbeddingSpace, unit_rows


def cloud(words: int, dim: int, *, number: int = 0) -> torch.Tensor:
    return torch.randn(words, dim, generator=torch.Generator().manual_seed(number))


def space(vectors: torch.Tensor, words: Sequence[str] | None = None) -> EmbeddingSpace:
    return EmbeddingSpace(tuple(words or [f"w{_letters(i)}" for i in range(len(vectors))]), vectors)


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def notes_on(vectors: torch.Tensor, words: Sequence[str] | None = None) -> str:
    return "\n".join(inspect_space(space(vectors, words)).notes)


def test_a_large_even_cloud_needs_no_note() -> None:
    health = inspect_space(space(unit_rows(cloud(6_000, 10))))

    assert health.notes == ()
    assert (health.words, health.dim, health.duplicates) == (6_000, 10, 0)
    assert health.geometry.unit_length
    assert health.geometry.mean_vector_length < 0.05
    assert health.geometry.effective_dimensions == pytest.approx(10, abs=0.2)
    assert health.geometry.top_component_share == pytest.approx(0.1, abs=0.02)


def test_lengths_zeros_and_damage_are_counted() -> None:
    vectors = torch.tensor([[3.0, 4.0], [0.0, 0.0], [0.0, 1.0], [float("nan"), 0.0]])
    health = inspect_space(space(vectors))

    assert (health.geometry.shortest, health.geometry.longest) == (0.0, 5.0)
    assert health.geometry.median == 1.0
    assert (health.geometry.zero_vectors, health.geometry.not_finite) == (1, 1)
    assert not health.geometry.unit_length
    assert "zero vectors: 1; these words cannot be translated" in health.notes
    assert any(
        note.startswith("vectors with infinite or undefined numbers: 1") for note in health.notes
    )


def test_a_common_direction_is_noted() -> None:
    assert "their mean has length" in notes_on(cloud(100, 8) * 0.1 + 1)


def test_a_flat_cloud_is_noted() -> None:
    vectors = cloud(200, 50)
    vectors[:, 1:] *= 0.01

    assert "the vectors use about 1 of their 50 dimensions" in notes_on(vectors)


def with_hub(words: int) -> torch.Tensor:
    """Return words of which half lean to word 17 and half away from it, so that 0 is the mean."""
    vectors = unit_rows(cloud(words, 300, number=1))
    direction = vectors[17].clone()
    signs = torch.arange(words).remainder(2).mul(2).sub(1).unsqueeze(1)
    vectors = vectors + 0.4 * signs * direction
    vectors[17] = direction
    return vectors


def test_a_hub_is_found_and_named() -> None:
    vectors = with_hub(400)
    hubness = measure_hubness(space(vectors))

    assert hubness is not None
    assert hubness.largest_word == f"w{_letters(17)}"
    assert hubness.largest > 100
    assert hubness.skewness > 2
    assert f"most of all 'w{_letters(17)}'" in notes_on(vectors)


def test_neighbors_are_counted_without_the_word_itself() -> None:
    angles = torch.tensor([0.0, 0.1, 1.0, 1.1])
    corners = torch.stack([angles.cos(), angles.sin()], dim=1)
    twins = torch.cat([corners, -corners])
    hubness = measure_hubness(space(twins))

    assert hubness is not None
    assert (hubness.words, hubness.neighborhood, hubness.largest) == (8, 7, 7)
    assert (hubness.skewness, hubness.never_chosen_share) == (0.0, 0.0)


def test_equal_vectors_do_not_confuse_the_count() -> None:
    vectors = torch.cat([torch.ones(30, 3), cloud(3, 3)])
    hubness = measure_hubness(space(vectors))

    assert hubness is not None
    assert hubness.words == 33


def test_words_are_described() -> None:
    shapes = describe_words(["Dog", "cat", "New_York", "1984", "3,5", "…", "кот", "b2b"])

    assert (shapes.with_capitals, shapes.multi_word, shapes.multi_word_example) == (
        0.25,
        0.125,
        "New_York",
    )
    assert (shapes.numerals, shapes.punctuation) == (0.25, 0.125)
    assert shapes.scripts == (("Latin", 0.8), ("Cyrillic", 0.2))
    assert shapes.is_mixed


def test_one_language_may_mix_its_scripts() -> None:
    assert not describe_words(["犬", "けれど", "カメラ"]).is_mixed
    assert not describe_words(["犬"]).is_mixed


def test_notes_on_words_say_what_to_do() -> None:
    words = ["Dog", "Dog", "new_york", "1984", "!", "кот"]

    assert inspect_space(space(cloud(6, 2), words)).notes[:6] == (
        "the vocabulary is small (6 words), so many words of a lexicon will be missing: use a "
        "larger file if there is one",
        "repeated words: 1; only the first vector of each is used",
        "33% of the words contain capital letters, while most lexicons are lowercase: use "
        "--lowercase unless your lexicon has capitals too",
        "the words are in several scripts (Latin 75%, Cyrillic 25%): words of other languages use "
        "up the vocabulary limit and become hubs; remove them if you can",
        "17% of the words are terms of several words, such as 'new_york': write them the same way "
        "in a lexicon",
        "17% of the words are numerals and 17% punctuation: they need no translation and use up "
        "the vocabulary limit",
    )


@given(
    words=st.integers(0, 12),
    dim=st.integers(1, 4),
    number=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.0, 1e-20, 1.0, 1e6]),
)
@settings(deadline=None)
def test_any_small_space_has_a_finite_report(
    words: int, dim: int, number: int, scale: float
) -> None:
    one = space(cloud(words, dim, number=number) * scale)
    health = inspect_space(one)

    json.dumps(health.to_dict(), allow_nan=False)
    assert inspect_space(one) == health
    assert (health.hubness is None) == (words < 2 or scale == 0)
    assert health.geometry.effective_dimensions <= dim + 1e-6
