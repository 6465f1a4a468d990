"""Comparing two spaces."""

from __future__ import annotations

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.inspection import inspect_pair
from bilex.inspection.spectra import spectral_distance
from bilex.values import EmbeddingSpace


def space(words: list[str], dim: int = 4, *, number: int = 0) -> EmbeddingSpace:
    rng = torch.Generator().manual_seed(number)
    return EmbeddingSpace(tuple(words), torch.randn(len(words), dim, generator=rng))


def named(count: int) -> list[str]:
    return [f"w{i}" for i in range(count)]


def test_shared_words_and_numerals_are_counted() -> None:
    one = space(["taxi", "1984", "dog", "chat", "!"])
    other = space(["chat", "1984", "chien", "taxi", "!", "le"])
    health = inspect_pair(one, other)

    assert (health.identical, health.identical_share, health.common_numerals) == (4, 0.8, 1)
    assert health.identical_examples == ("taxi", "chat")
    assert (health.source_script, health.target_script, health.same_script) == (
        "Latin",
        "Latin",
        True,
    )
    assert health.notes == (
        "4 words are spelled the same in both languages: many are names or loanwords, some are "
        "false friends; review them before using them as seeds",
    )


def test_different_scripts_and_dimensions_are_noted() -> None:
    health = inspect_pair(space(["dog", "cat"]), space(["кот", "пёс"], 3))

    assert not health.same_script
    assert health.notes == (
        "the languages use different scripts: identical words do not help, so the result depends "
        "on the seed lexicon alone",
        "the vectors have 4 and 3 dimensions: a map can preserve only as many as the smaller space "
        "has",
    )


def test_one_file_given_twice_is_noticed() -> None:
    one = space(named(20))

    assert (
        "100% of the words are in both vocabularies: check that the two files are not of the same "
        "language"
    ) in inspect_pair(one, one).notes


def test_a_rotated_and_scaled_space_has_the_same_spectrum() -> None:
    one = space(named(200), 8)
    rotation = torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(1)))[0]

    assert spectral_distance(one, one.with_vectors(3 * one.vectors @ rotation)) == pytest.approx(
        0, abs=1e-5
    )


def test_a_flat_and_a_steep_spectrum_are_far_apart() -> None:
    one = space(named(200), 8)
    steep = one.with_vectors(one.vectors * torch.logspace(0, -3, 8))
    health = inspect_pair(one, steep)

    assert health.spectral_distance is not None
    assert health.spectral_distance > 0.5
    assert any("different shapes (spectra)" in note for note in health.notes)


@pytest.mark.parametrize("vectors", [torch.zeros(20, 3), torch.ones(20, 3), torch.ones(1, 3)])
def test_without_spread_there_is_no_spectrum(vectors: torch.Tensor) -> None:
    flat = EmbeddingSpace(tuple(named(len(vectors))), vectors)

    assert spectral_distance(flat, space(named(20), 3)) is None


@given(sizes=st.tuples(st.integers(0, 15), st.integers(0, 15)), dim=st.integers(1, 3))
@settings(deadline=None)
def test_any_two_spaces_have_a_finite_report(sizes: tuple[int, int], dim: int) -> None:
    one, other = space(named(sizes[0]), dim), space(named(sizes[1]), 1, number=1)
    health = inspect_pair(one, other)

    json.dumps(health.to_dict(), allow_nan=False)
    assert inspect_pair(one, other) == health
    assert inspect_pair(other, one).identical == health.identical
