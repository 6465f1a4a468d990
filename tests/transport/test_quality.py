"""Judging maps without labels."""

from __future__ import annotations

import math

import pytest
import torch

from bilex.errors import SettingError
from bilex.transport import mean_csls, transport_cost
from bilex.values import LinearMap, SpacePair
from twins import make_twins


def maps(size: int = 100) -> tuple[SpacePair, LinearMap, LinearMap]:
    twins = make_twins(size)
    other = torch.randn(8, 8, generator=torch.Generator().manual_seed(5))
    return twins.pair, LinearMap(twins.rotation), LinearMap(torch.linalg.qr(other).Q)


def test_the_right_map_is_better_than_another() -> None:
    pair, right, wrong = maps()
    assert transport_cost(pair, right) < transport_cost(pair, wrong)
    assert mean_csls(pair, right) > mean_csls(pair, wrong)


def test_the_length_of_mapped_words_does_not_matter() -> None:
    pair, right, _ = maps()
    longer = LinearMap(7 * right.weight)
    assert transport_cost(pair, longer) == pytest.approx(transport_cost(pair, right), abs=1e-5)
    assert mean_csls(pair, longer) == pytest.approx(mean_csls(pair, right), abs=1e-5)


def test_a_sharp_plan_between_twins_costs_nothing_more_than_their_identity() -> None:
    pair, right, _ = maps()
    assert transport_cost(pair, right, epsilon=0.005) == pytest.approx(-1.0, abs=1e-3)


def test_words_of_hubs_are_left_out() -> None:
    pair, right, _ = maps()
    hub = pair.target.vectors[:1].expand(100, -1)
    crowded = SpacePair(pair.source.with_vectors(hub @ right.weight.T), pair.target)
    assert mean_csls(crowded, right, hub_limit=99) == -math.inf
    everything = mean_csls(crowded, right, hub_limit=None)
    assert mean_csls(crowded, right, hub_limit=100) == everything
    assert math.isfinite(everything)


@pytest.mark.parametrize("size", [1, 2])
def test_tiny_vocabularies_are_enough(size: int) -> None:
    pair, right, _ = maps(size)
    assert math.isfinite(transport_cost(pair, right))
    assert math.isfinite(mean_csls(pair, right))


def test_settings_out_of_bounds_are_errors() -> None:
    pair, right, _ = maps()
    with pytest.raises(SettingError, match="epsilon is 0"):
        transport_cost(pair, right, epsilon=0.0)
    with pytest.raises(SettingError, match="words is 0"):
        transport_cost(pair, right, words=0)
    with pytest.raises(SettingError, match="hub_limit is 0"):
        mean_csls(pair, right, hub_limit=0)
