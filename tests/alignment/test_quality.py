"""The quality of maps, measured without labels."""

from __future__ import annotations

import math
from typing import Literal

import pytest
import torch

from bilex.alignment.quality import better_map, mean_csls, transport_cost
from bilex.errors import SettingError
from bilex.values import LinearMap, SpacePair
from twins import make_twins


def maps(size: int = 100) -> tuple[SpacePair, LinearMap, LinearMap]:
    twins = make_twins(size)
    other = torch.randn(8, 8, generator=torch.Generator().manual_seed(5))
    return twins.spaces, LinearMap(twins.rotation), LinearMap(torch.linalg.qr(other).Q)


def test_the_right_map_is_better_than_another() -> None:
    spaces, right, wrong = maps()
    assert transport_cost(spaces, right) < transport_cost(spaces, wrong)
    assert mean_csls(spaces, right) > mean_csls(spaces, wrong)


def test_the_length_of_mapped_words_does_not_matter() -> None:
    spaces, right, _ = maps()
    longer = LinearMap(7 * right.weight)
    assert transport_cost(spaces, longer) == pytest.approx(transport_cost(spaces, right), abs=1e-5)
    assert mean_csls(spaces, longer) == pytest.approx(mean_csls(spaces, right), abs=1e-5)


def test_a_sharp_plan_between_twins_costs_nothing_more_than_their_identity() -> None:
    spaces, right, _ = maps()
    assert transport_cost(spaces, right, epsilon=0.005) == pytest.approx(-1.0, abs=1e-3)


def test_words_of_hubs_are_left_out() -> None:
    spaces, right, _ = maps()
    hub = spaces.target.vectors[:1].expand(100, -1)
    crowded = SpacePair(spaces.source.with_vectors(hub @ right.weight.T), spaces.target)
    assert mean_csls(crowded, right, hub_limit=99) == -math.inf
    everything = mean_csls(crowded, right, hub_limit=None)
    assert mean_csls(crowded, right, hub_limit=100) == everything
    assert math.isfinite(everything)


@pytest.mark.parametrize("by", ["transport", "csls"])
def test_the_better_map_is_chosen_without_labels(by: Literal["transport", "csls"]) -> None:
    twins = make_twins(200, noise=0.1)
    good, bad = LinearMap(twins.rotation), LinearMap(torch.eye(8))
    for first, second in ((good, bad), (bad, good)):
        assert better_map(twins.spaces, first, second, by=by) is good
    assert better_map(twins.spaces, good, good, by=by) is good


@pytest.mark.parametrize("size", [1, 2])
def test_tiny_vocabularies_are_enough(size: int) -> None:
    spaces, right, _ = maps(size)
    assert math.isfinite(transport_cost(spaces, right))
    assert math.isfinite(mean_csls(spaces, right))


def test_settings_out_of_bounds_are_errors() -> None:
    spaces, right, _ = maps()
    with pytest.raises(SettingError, match="epsilon is 0"):
        transport_cost(spaces, right, epsilon=0.0)
    with pytest.raises(SettingError, match="words is 0"):
        transport_cost(spaces, right, words=0)
    with pytest.raises(SettingError, match="hub_limit is 0"):
        mean_csls(spaces, right, hub_limit=0)
