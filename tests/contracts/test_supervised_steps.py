"""What every supervised step must do."""

from __future__ import annotations

import dataclasses
from typing import cast

import pytest
import torch

from bilex.errors import EmptyLexiconError
from bilex.protocols import SupervisedStep
from bilex.registry import plugin_class, plugin_names
from bilex.values import IndexedLexicon, Lexicon
from twins import Twins, make_twins

NAMES = plugin_names("supervised")


def make(name: str) -> SupervisedStep:
    """Return the plugin with its defaults, but few steps if it takes any."""
    plugin = plugin_class("supervised", name)()
    if any(field.name == "steps" for field in dataclasses.fields(plugin)):
        plugin = dataclasses.replace(plugin, steps=20)
    return cast(SupervisedStep, plugin)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("name", NAMES)
def test_it_brings_each_word_to_its_twin(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:40]), twins.spaces)
    found = make(name).fit_map(twins.spaces, located, rng=rng())
    best = (found.apply(twins.source.vectors) @ twins.target.vectors.T).argmax(1).tolist()
    assert [twins.target.words[i] for i in best] == [f"t{i}" for i in range(60)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("source_dim", "dim"), [(12, 8), (5, 8)])
def test_spaces_may_have_different_dimensions(name: str, source_dim: int, dim: int) -> None:
    twins = make_twins(200, source_dim=source_dim, dim=dim)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = make(name).fit_map(twins.spaces, located, rng=rng())
    assert found.weight.shape == (source_dim, dim)
    assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    first, second = (make(name).fit_map(twins.spaces, located, rng=rng()).weight for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize("name", NAMES)
def test_no_pair_is_an_error(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(Lexicon.of([("unknown", "words")]), twins.spaces)
    with pytest.raises(EmptyLexiconError, match="no seed pair to learn from"):
        make(name).fit_map(twins.spaces, located, rng=rng())
