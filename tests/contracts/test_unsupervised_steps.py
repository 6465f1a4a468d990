"""What every unsupervised step must do."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.protocols import UnsupervisedStep
from bilex.registry import plugin_class, plugin_names
from bilex.values import LinearMap
from twins import Twins, make_twins

NAMES = plugin_names("unsupervised")


def make(name: str) -> UnsupervisedStep:
    return cast(UnsupervisedStep, plugin_class("unsupervised", name)())


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def near(rotation: torch.Tensor, noise: float = 0.3) -> LinearMap:
    """Return a map near the right one, as a start."""
    return LinearMap(rotation + noise * torch.randn(rotation.shape, generator=rng()))


class RightPrior:
    """Prefers the right pairs."""

    def __init__(self, twins: Twins) -> None:
        self.log = 20 * twins.source.vectors @ twins.rotation @ twins.target.vectors.T

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        return self.log[source_ids][:, target_ids]


@pytest.mark.parametrize("name", NAMES)
def test_a_right_prior_corrects_a_wrong_start(name: str, twins: Twins) -> None:
    prior = RightPrior(twins)
    found = make(name).fit_map(twins.spaces, rng=rng(), start=near(twins.rotation), prior=prior)
    torch.testing.assert_close(found.weight, twins.rotation, atol=0.05, rtol=0)
    assert torch.equal(prior.log, RightPrior(twins).log)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("source_dim", "dim"), [(12, 8), (5, 8), (8, 8)])
def test_the_map_is_semi_orthogonal(name: str, source_dim: int, dim: int) -> None:
    twins = make_twins(50, source_dim=source_dim, dim=dim)
    weight = make(name).fit_map(twins.spaces, rng=rng(), start=near(twins.rotation)).weight
    assert weight.shape == (source_dim, dim)
    gram = weight @ weight.T if source_dim < dim else weight.T @ weight
    torch.testing.assert_close(gram, torch.eye(min(source_dim, dim)))
    torch.testing.assert_close(nearest_semi_orthogonal(weight), weight)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1, 2, 50])
def test_tiny_vocabularies_are_enough(name: str, size: int) -> None:
    twins = make_twins(size)
    found = make(name).fit_map(twins.spaces, rng=rng(), start=near(twins.rotation))
    assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes_and_input_left_as_it_was(name: str, twins: Twins) -> None:
    start = near(twins.rotation)
    first, second = (
        make(name).fit_map(twins.spaces, rng=rng(), start=start).weight for _ in range(2)
    )
    assert torch.equal(first, second)
    assert torch.equal(start.weight, near(twins.rotation).weight)
    assert torch.equal(twins.source.vectors, make_twins().source.vectors)
    assert torch.equal(twins.target.vectors, make_twins().target.vectors)


@pytest.mark.parametrize("name", NAMES)
def test_it_reports_how_it_went(name: str, twins: Twins) -> None:
    report = make(name).fit_map(twins.spaces, rng=rng(), start=near(twins.rotation)).report
    assert isinstance(report["transport_cost"], float)
    assert report["step"] == name
