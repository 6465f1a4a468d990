"""How useful a seed lexicon is for two spaces."""

from __future__ import annotations

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.inspection import inspect_lexicon, inspect_pair, inspect_space
from bilex.values import EmbeddingSpace, Lexicon

SIZE = 1_500


def twins(
    size: int = SIZE, dim: int = 12, *, letter: str = "t"
) -> tuple[EmbeddingSpace, EmbeddingSpace]:
    rng = torch.Generator().manual_seed(0)
    vectors = torch.randn(size, dim, generator=rng)
    rotation = torch.linalg.qr(torch.randn(dim, dim, generator=rng))[0]
    return (
        EmbeddingSpace(tuple(f"s{i}" for i in range(size)), vectors),
        EmbeddingSpace(tuple(f"{letter}{i}" for i in range(size)), vectors @ rotation),
    )


def seeds(count: int, *, letter: str = "t", shift: int = 0) -> Lexicon:
    return Lexicon.of([(f"s{i}", f"{letter}{(i + shift) % SIZE}") for i in range(count)])


def test_many_seeds_of_rotated_spaces_are_easy() -> None:
    health = inspect_lexicon(seeds(1_200), *twins())

    assert health.difficulty.level == "easy"
    assert health.difficulty.reasons == (
        "1,200 usable seed words, 100% of the pairs in the vocabularies, and no problem found in "
        "the vectors",
    )
    assert health.relational_similarity == pytest.approx(1, abs=1e-4)
    assert health.notes == ()


def test_pairs_are_spread_over_frequency_bands() -> None:
    bands = inspect_lexicon(seeds(1_200), *twins()).bands

    assert [(band.first, band.last) for band in bands] == [(1, 1_000), (1_001, 1_500)]
    assert [(band.source_pairs, band.target_pairs) for band in bands] == [(1_000,) * 2, (200,) * 2]


def test_few_seeds_are_moderate_and_one_band_is_noted() -> None:
    health = inspect_lexicon(seeds(300), *twins())

    assert health.difficulty.level == "moderate"
    assert health.difficulty.reasons == (
        "300 usable seed words are few: use a semi-supervised strategy, which helps most below "
        "1,000",
    )
    assert health.notes == (
        "300 of 300 usable pairs have source words of frequency ranks 1 to 1,000: expect worse "
        "translations of other words, or add pairs for them",
    )


def test_very_few_seeds_are_hard() -> None:
    health = inspect_lexicon(Lexicon.of([("s1", "t1"), ("s2", "t2"), ("s3", "t3")]), *twins())

    assert health.difficulty.level == "hard"
    assert health.difficulty.reasons[0] == (
        "3 usable seed words are too few to learn from: use at least 100, better 1,000"
    )
    assert health.relational_similarity is None


def test_shifted_columns_are_noticed() -> None:
    health = inspect_lexicon(seeds(1_200, shift=1), *twins())

    assert health.relational_similarity == pytest.approx(0, abs=0.05)
    assert health.difficulty.level == "hard"
    assert "its columns are aligned" in health.difficulty.reasons[0]


def test_problems_add_up() -> None:
    source, target = twins(letter="я")
    lexicon = Lexicon(seeds(300, letter="я").entries + seeds(400, letter="ю").entries)
    health = inspect_lexicon(lexicon, source, target)

    assert health.difficulty.level == "hard"
    assert health.difficulty.reasons[1:] == (
        "only 43% of the pairs have both words in the vocabularies",
        "the languages use different scripts (Latin and Cyrillic), which often means distant "
        "languages",
    )
    assert health.notes[0].startswith("only 300 of 700 pairs have both words")


def test_different_spectra_are_a_reason_if_there_are_too_few_seeds_for_agreement() -> None:
    source, _ = twins()
    rng = torch.Generator().manual_seed(3)
    vectors = torch.randn(SIZE, 200, generator=rng) * torch.logspace(0, -4, 200)
    target = EmbeddingSpace(tuple(f"t{i}" for i in range(SIZE)), vectors)
    one_word = Lexicon.of([("s1", f"t{i}") for i in range(10)])
    reasons = inspect_lexicon(one_word, source, target).difficulty.reasons

    assert (
        "the two spaces have different shapes (spectra), so a linear map may fit badly" in reasons
    )


def test_strong_hubs_in_the_target_are_a_reason() -> None:
    source, _ = twins()
    vectors = torch.nn.functional.normalize(
        torch.randn(SIZE, 300, generator=torch.Generator().manual_seed(1))
    )
    direction = vectors[17].clone()
    vectors = vectors + 0.4 * torch.arange(SIZE).remainder(2).mul(2).sub(1)[:, None] * direction
    vectors[17] = direction
    target = EmbeddingSpace(tuple(f"t{i}" for i in range(SIZE)), vectors)

    assert any(
        "strong hubs" in reason
        for reason in inspect_lexicon(seeds(50), source, target).difficulty.reasons
    )


def test_repeated_pairs_are_noted() -> None:
    lexicon = Lexicon(seeds(1_200).entries + seeds(3).entries)

    assert inspect_lexicon(lexicon, *twins()).notes == ("repeated pairs: 3; each counts once",)


def test_earlier_reports_are_reused() -> None:
    source, target = twins(200)
    lexicon = seeds(150)

    assert inspect_lexicon(
        lexicon,
        source,
        target,
        pair=inspect_pair(source, target),
        target_health=inspect_space(target),
    ) == inspect_lexicon(lexicon, source, target)


@given(
    size=st.sampled_from([0, 1, 2, 50]),
    dim=st.sampled_from([1, 3]),
    pairs=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=15),
    zeros=st.booleans(),
)
@settings(deadline=None, max_examples=50)
def test_any_small_lexicon_has_a_finite_report(
    size: int, dim: int, pairs: list[tuple[int, int]], zeros: bool
) -> None:
    source, target = twins(size, dim)
    if zeros:
        target = target.with_vectors(torch.zeros(size, dim))
    lexicon = Lexicon.of([(f"s{one}", f"t{other}") for one, other in pairs])
    health = inspect_lexicon(lexicon, source, target)

    json.dumps(health.to_dict(), allow_nan=False)
    assert inspect_lexicon(lexicon, source, target) == health
    assert sum(band.source_pairs for band in health.bands) == health.coverage.kept


def test_undefined_vectors_do_not_spoil_the_report() -> None:
    source, target = twins(60)
    vectors = target.vectors.clone()
    vectors[3] = float("nan")
    health = inspect_lexicon(seeds(50), source, target.with_vectors(vectors))

    json.dumps(health.to_dict(), allow_nan=False)
    assert health.relational_similarity is not None
    assert health.relational_similarity > 0.8
