"""What every start must do."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from bilex.protocols import Start
from bilex.registry import plugin_class, plugin_names
from bilex.values import EmbeddingSpace, SpacePair
from twins import Twins, make_twins

NAMES = plugin_names("start")


def make(name: str) -> Start:
    return cast(Start, plugin_class("start", name)())


def spelled_alike(twins: Twins) -> SpacePair:
    words = (tuple(word[1:] for word in space.words) for space in (twins.source, twins.target))
    source, target = (
        EmbeddingSpace(spelled, space.vectors)
        for spelled, space in zip(words, (twins.source, twins.target), strict=True)
    )
    return SpacePair(source, target)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_translations_of_twins(name: str, twins: Twins) -> None:
    spaces = spelled_alike(twins)
    found = make(name).begin(spaces, rng=rng())
    best = (found.apply(spaces.source.vectors) @ spaces.target.vectors.T).argmax(1)
    right = sum(
        spaces.target.words[j] == spaces.source.words[i] for i, j in enumerate(best.tolist())
    )
    assert right >= 0.8 * len(best)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("source_dim", "dim"), [(12, 8), (5, 8)])
def test_spaces_may_have_different_dimensions(name: str, source_dim: int, dim: int) -> None:
    spaces = spelled_alike(make_twins(40, source_dim=source_dim, dim=dim))
    found = make(name).begin(spaces, rng=rng())
    assert found.weight.shape == (source_dim, dim)
    assert found.weight.dtype == torch.float32
    assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_same_bytes_each_time_and_input_left_as_it_was(name: str, twins: Twins) -> None:
    spaces = spelled_alike(twins)
    first, second = (make(name).begin(spaces, rng=rng()) for _ in range(2))
    assert torch.equal(first.weight, second.weight)
    assert torch.equal(spaces.source.vectors, make_twins().source.vectors)


@pytest.mark.parametrize("name", NAMES)
def test_it_reports_how_the_map_was_found(name: str, twins: Twins) -> None:
    assert make(name).begin(spelled_alike(twins), rng=rng()).report["start"] in NAMES
