"""What every supervised step must do."""

from __future__ import annotations

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
    return cast(SupervisedStep, plugin_class("supervised", name)())


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_rotation(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(twins.lexicon, twins.pair)
    found = make(name).fit_map(twins.pair, located, rng=rng())
    torch.testing.assert_close(found.weight, twins.rotation, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("source_dim", "dim"), [(12, 8), (5, 8)])
def test_spaces_may_have_different_dimensions(name: str, source_dim: int, dim: int) -> None:
    twins = make_twins(200, source_dim=source_dim, dim=dim)
    located = IndexedLexicon.locate(twins.lexicon, twins.pair)
    found = make(name).fit_map(twins.pair, located, rng=rng())
    assert found.weight.shape == (source_dim, dim)
    assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(twins.lexicon, twins.pair)
    first, second = (make(name).fit_map(twins.pair, located, rng=rng()).weight for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize("name", NAMES)
def test_no_pair_is_an_error(name: str, twins: Twins) -> None:
    located = IndexedLexicon.locate(Lexicon.of([("nobody", "knows")]), twins.pair)
    with pytest.raises(EmptyLexiconError, match="no seed pair to learn from"):
        make(name).fit_map(twins.pair, located, rng=rng())
