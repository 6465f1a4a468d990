from __future__ import annotations

import pytest
import torch
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import (
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    SpacePair,
    unit_rows,
)

from bilex_contrastive.contrastive import Contrastive
from bilex_contrastive.fused_gromov import FusedGromov

QUICK = Contrastive(steps=20)


def rng(draw: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(draw)


def make_twins(
    size: int = 50, *, source_dim: int = 8, dim: int = 8, noise: float = 0.0
) -> tuple[SpacePair, IndexedLexicon, torch.Tensor]:
    """Make two spaces a known rotation apart, word i of one translating word i of the other."""
    chance = rng()
    x = unit_rows(torch.randn(size, source_dim, generator=chance))
    tall = torch.randn(max(source_dim, dim), max(source_dim, dim), generator=chance)
    rotation = torch.linalg.qr(tall).Q[:source_dim, :dim].contiguous()
    y = unit_rows(x @ rotation + noise * torch.randn(size, dim, generator=chance))
    words = tuple(str(i) for i in range(size))
    spaces = SpacePair(EmbeddingSpace(words, x), EmbeddingSpace(words, y))
    located = IndexedLexicon.locate(Lexicon.of([(word, word) for word in words]), spaces)
    return spaces, located, rotation


def translations(spaces: SpacePair, mapping: LinearMap) -> list[int]:
    mapped = unit_rows(mapping.apply(spaces.source.vectors))
    best: list[int] = (mapped @ spaces.target.vectors.T).argmax(1).tolist()
    return best


def near(rotation: torch.Tensor) -> LinearMap:
    return LinearMap(rotation + 0.2 * torch.randn(rotation.shape, generator=rng(1)))


def test_contrastive_keeps_the_rotation_it_begins_with() -> None:
    spaces, lexicon, rotation = make_twins()
    found = QUICK.fit_map(spaces, lexicon, rng=rng())
    torch.testing.assert_close(found.weight, rotation, atol=0.05, rtol=0)
    assert translations(spaces, found) == list(range(50))


def test_contrastive_lowers_its_loss_and_corrects_translations() -> None:
    spaces, lexicon, rotation = make_twins(noise=0.1)
    wrong = near(rotation)
    first = Contrastive(steps=1).fit_map(spaces, lexicon, rng=rng(), start=wrong)
    found = Contrastive(steps=60, rate=0.1).fit_map(spaces, lexicon, rng=rng(), start=wrong)
    assert found.report["loss"] < first.report["loss"]  # type: ignore[operator]
    wrong_ones = sum(i != j for i, j in enumerate(translations(spaces, wrong)))
    assert sum(i != j for i, j in enumerate(translations(spaces, found))) < wrong_ones


def test_other_translations_of_a_word_are_no_rivals() -> None:
    spaces, _, rotation = make_twins(3)
    ids = torch.tensor([[i, j] for i in range(3) for j in range(3)])
    everything = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(9))
    found = QUICK.fit_map(spaces, everything, rng=rng(), start=LinearMap(rotation))
    assert torch.equal(found.weight, rotation)
    assert found.report["loss"] == 0


def test_contrastive_needs_a_pair() -> None:
    spaces, lexicon, _ = make_twins()
    none = IndexedLexicon(lexicon.source_ids[:0], lexicon.target_ids[:0], lexicon.weights[:0])
    with pytest.raises(EmptyLexiconError, match="no seed pair"):
        QUICK.fit_map(spaces, none, rng=rng())


class RightPrior:
    """Prefers the right pairs."""

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        return 50.0 * (source_ids[:, None] == target_ids)


def test_fused_gromov_recovers_the_rotation_from_nearby() -> None:
    spaces, _, rotation = make_twins()
    found = FusedGromov().fit_map(spaces, rng=rng(), start=near(rotation))
    torch.testing.assert_close(found.weight, rotation, atol=1e-4, rtol=0)


def test_a_prior_corrects_a_start_that_is_all_wrong() -> None:
    spaces, _, rotation = make_twins()
    wrong = LinearMap(-rotation)
    alone = FusedGromov(structure=0.0).fit_map(spaces, rng=rng(), start=wrong)
    found = FusedGromov(structure=0.0).fit_map(spaces, rng=rng(), start=wrong, prior=RightPrior())
    assert translations(spaces, alone) != list(range(50))
    torch.testing.assert_close(found.weight, rotation, atol=1e-4, rtol=0)


@pytest.mark.parametrize(("source_dim", "dim"), [(12, 8), (5, 8)])
def test_spaces_may_have_different_dimensions(source_dim: int, dim: int) -> None:
    spaces, lexicon, rotation = make_twins(source_dim=source_dim, dim=dim)
    for found in (
        QUICK.fit_map(spaces, lexicon, rng=rng()),
        FusedGromov().fit_map(spaces, rng=rng(), start=LinearMap(rotation)),
    ):
        assert found.weight.shape == (source_dim, dim)
        assert found.weight.dtype == torch.float32
        assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("size", [1, 2, 3])
def test_cut_offs_are_clamped_to_tiny_vocabularies(size: int) -> None:
    spaces, lexicon, rotation = make_twins(size)
    for found in (
        QUICK.fit_map(spaces, lexicon, rng=rng()),
        FusedGromov().fit_map(spaces, rng=rng(), start=LinearMap(rotation)),
    ):
        assert bool(found.weight.isfinite().all())


def test_same_seed_same_bytes_and_input_left_as_it_was() -> None:
    spaces, lexicon, rotation = make_twins(noise=0.1)
    start, again = near(rotation), make_twins(noise=0.1)[0]
    few = Contrastive(steps=5, batch=16)
    contrastive = [few.fit_map(spaces, lexicon, rng=rng(), start=start).weight for _ in range(2)]
    gromov = [FusedGromov().fit_map(spaces, rng=rng(), start=start).weight for _ in range(2)]
    assert torch.equal(*contrastive)
    assert torch.equal(*gromov)
    assert not torch.equal(
        few.fit_map(spaces, lexicon, rng=rng(1), start=start).weight, contrastive[0]
    )
    assert torch.equal(start.weight, near(rotation).weight)
    assert not start.weight.requires_grad
    assert torch.equal(spaces.source.vectors, again.source.vectors)
    assert torch.equal(spaces.target.vectors, again.target.vectors)


@pytest.mark.parametrize("name", ["steps", "batch", "rate", "temperature", "negatives", "pool"])
def test_contrastive_settings_are_checked(name: str) -> None:
    with pytest.raises(SettingError, match=rf"supervised\.{name} is 0: give"):
        Contrastive(**{name: 0})


@pytest.mark.parametrize(
    ("name", "value"), [("words", 0), ("iterations", 0), ("epsilon", 0.0), ("structure", 1.5)]
)
def test_fused_gromov_settings_are_checked(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=rf"unsupervised\.{name} is {value}: give"):
        FusedGromov(**{name: value})  # type: ignore[arg-type]
