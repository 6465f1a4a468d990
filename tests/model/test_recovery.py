"""Every strategy on twin spaces with a known answer, easy and less easy."""

from __future__ import annotations

import pytest
import torch

from bilex import LexiconInducer
from bilex.config import preset_names
from bilex.values import EmbeddingSpace, Lexicon, unit_rows
from schedules import short_preset
from twins import Twins, make_twins

SEMI_SUPERVISED = ["css-paper", "css-code", "pss-paper", "pss-code"]


def accuracy(preset: str, twins: Twins, seeds: int) -> float:
    given = Lexicon(twins.lexicon.entries[:seeds])
    model = LexiconInducer(short_preset(preset)).fit(twins.source, twins.target, given).model_
    tested = [
        entry
        for entry in twins.lexicon.entries
        if entry.source in twins.source.index and entry.target in twins.target.index
    ]
    found = model.translate([entry.source for entry in tested], k=1)
    right = sum(
        result.candidates[0].word == entry.target
        for result, entry in zip(found, tested, strict=True)
    )
    return right / len(tested)


def without(space: EmbeddingSpace, every: int) -> EmbeddingSpace:
    """Leave out each so many-th word."""
    kept = [i for i in range(len(space)) if i % every]
    return EmbeddingSpace(tuple(space.words[i] for i in kept), space.vectors[kept])


def hard_twins() -> Twins:
    return make_twins(400, dim=60, noise=0.07)


def with_missing_words() -> Twins:
    twins = hard_twins()
    return Twins(without(twins.source, 9), without(twins.target, 7), twins.lexicon, twins.rotation)


def with_different_sizes() -> Twins:
    twins = hard_twins()
    target = EmbeddingSpace(twins.target.words[:280], twins.target.vectors[:280])
    return Twins(twins.source, target, twins.lexicon, twins.rotation)


def with_hubs() -> Twins:
    """Add target words that are near everything."""
    twins = hard_twins()
    rng = torch.Generator().manual_seed(5)
    center = twins.target.vectors.mean(0)
    hubs = unit_rows(center + 0.02 * torch.randn(10, 60, generator=rng))
    target = EmbeddingSpace(
        (*twins.target.words, *(f"hub{i}" for i in range(10))),
        torch.cat([twins.target.vectors, hubs]),
    )
    return Twins(twins.source, target, twins.lexicon, twins.rotation)


@pytest.mark.parametrize("preset", SEMI_SUPERVISED)
def test_thirty_seeds_are_enough_where_procrustes_fails(preset: str) -> None:
    twins = hard_twins()
    assert accuracy("procrustes", twins, 30) < 0.6
    assert accuracy(preset, twins, 30) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("preset", [*SEMI_SUPERVISED, "self-learning"])
@pytest.mark.parametrize(
    "make", [with_missing_words, with_different_sizes, with_hubs], ids=lambda make: make.__name__
)
def test_less_tidy_twins_are_recovered_too(preset: str, make) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    assert accuracy(preset, make(), 60) >= 0.95


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_recovers_easy_twins(preset: str) -> None:
    assert accuracy(preset, make_twins(120, dim=10, noise=0.02), 60) >= 0.95
