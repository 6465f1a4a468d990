"""What every preprocessing plugin must do."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from bilex.protocols import Preprocessor
from bilex.registry import plugin_class, plugin_names

NAMES = plugin_names("preprocessing")


def make(name: str) -> Preprocessor:
    return cast(Preprocessor, plugin_class("preprocessing", name)())


def vectors(n: int = 20) -> torch.Tensor:
    return torch.randn(n, 5, generator=torch.Generator().manual_seed(0)) + 0.5


@pytest.mark.parametrize("name", NAMES)
def test_input_is_left_as_it_was(name: str) -> None:
    given = vectors()
    make(name).learn(given).apply(given)
    assert torch.equal(given, vectors())


@pytest.mark.parametrize("name", NAMES)
def test_a_new_row_is_treated_like_the_rows_learned_from(name: str) -> None:
    given = vectors()
    learned = make(name).learn(given)
    torch.testing.assert_close(learned.apply(given)[3:4], learned.apply(given[3:4]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_and_zero_input_stays_finite(name: str, n: int) -> None:
    for given in (vectors(n), torch.zeros(n, 5)):
        result = make(name).learn(given).apply(given)
        assert result.shape == given.shape
        assert bool(result.isfinite().all())
