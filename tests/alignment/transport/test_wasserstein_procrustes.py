"""The step that alternates between transport and rotation."""

from __future__ import annotations

import math

import pytest
import torch

from bilex.alignment.messages import CslsSoftmax
from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.alignment.transport import RelaxedMatching, Rounding, WassersteinProcrustes
from bilex.alignment.transport.cost import CostName, MatchingCost
from bilex.errors import SettingError
from bilex.protocols import Prior
from bilex.values import LinearMap, Mode, unit_rows
from twins import Twins, make_twins

modes: tuple[Mode, Mode] = ("fast", "exact")


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def near(rotation: torch.Tensor) -> LinearMap:
    return LinearMap(rotation + 0.1 * torch.randn(rotation.shape, generator=rng()))


class DensePrior:
    """The prior of a map, as a table."""

    def __init__(self, twins: Twins, mapping: LinearMap) -> None:
        self.twins, self.mapping = twins, mapping
        self.followed: list[torch.Tensor] = []

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        mapped = 10 * self.mapping.apply(self.twins.source.vectors[source_ids])
        targets = self.twins.target.vectors[target_ids]
        return torch.addmm(self.target_terms(target_ids), mapped, targets.T)

    def target_terms(self, target_ids: torch.Tensor) -> torch.Tensor:
        return (target_ids % 5).float()


class InnerProductPrior(DensePrior):
    """The same prior in factors; the table must not be requested."""

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        raise AssertionError("the whole table was requested")

    def queries(self, source_ids: torch.Tensor) -> torch.Tensor:
        return 10 * self.mapping.apply(self.twins.source.vectors[source_ids])

    def target_bias(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        return self.target_terms(target_ids)


class MovingPrior(DensePrior):
    """Remembers which maps it followed."""

    def following(self, mapping: LinearMap) -> Prior:
        moved = MovingPrior(self.twins, mapping)
        moved.followed = self.followed
        self.followed.append(mapping.weight)
        return moved


@pytest.mark.parametrize("mode", ["fast", "exact"])
@pytest.mark.parametrize("rounding", ["one-hot", "top-k", "soft"])
@pytest.mark.parametrize("cost", ["inner-product", "rcsls"])
def test_a_nearly_right_start_becomes_right(rounding: Rounding, cost: CostName, mode: Mode) -> None:
    twins = make_twins(200)
    step = WassersteinProcrustes(epsilon=0.02, rounding=rounding, cost=cost, steps=8, mode=mode)
    found = step.fit_map(twins.spaces, rng=rng(), start=near(twins.rotation))
    torch.testing.assert_close(found.weight, twins.rotation, atol=0.02, rtol=0)


@pytest.mark.parametrize("mode", ["fast", "exact"])
def test_cut_offs_batches_and_noise_still_recover_the_rotation(mode: Mode) -> None:
    twins = make_twins(500, noise=0.02)
    step = RelaxedMatching(
        batch=100 if mode == "exact" else None,
        source_pool=400,
        rate=20.0,
        epsilon=0.02,
        rounding="one-hot",
        steps=30,
        mode=mode,
    )
    found = step.fit_map(twins.spaces, rng=rng(), start=near(twins.rotation))
    torch.testing.assert_close(found.weight, twins.rotation, atol=0.05, rtol=0)


@pytest.mark.parametrize("mode", ["fast", "exact"])
@pytest.mark.parametrize("cost", ["inner-product", "rcsls"])
def test_a_prior_in_factors_is_the_same_prior(twins: Twins, cost: CostName, mode: Mode) -> None:
    mapping = LinearMap(twins.rotation)
    step = WassersteinProcrustes(cost=cost, steps=3, mode=mode)
    first, second = (
        step.fit_map(twins.spaces, rng=rng(), start=near(twins.rotation), prior=prior).weight
        for prior in (DensePrior(twins, mapping), InnerProductPrior(twins, mapping))
    )
    torch.testing.assert_close(first, second)


@pytest.mark.parametrize(("mode", "steps", "taken"), [("exact", 4, 4), ("fast", 50, 3)])
def test_a_prior_can_follow_the_current_map(
    twins: Twins, mode: Mode, steps: int, taken: int
) -> None:
    prior = MovingPrior(twins, LinearMap(twins.rotation))
    step = WassersteinProcrustes(prior_follows="current", steps=steps, mode=mode)
    found = step.fit_map(twins.spaces, rng=rng(), start=near(twins.rotation), prior=prior)
    assert len(prior.followed) == taken
    assert torch.equal(prior.followed[-1], found.weight)


def test_following_needs_a_prior_that_can(twins: Twins) -> None:
    step = WassersteinProcrustes(prior_follows="current")
    start = LinearMap(twins.rotation)
    with pytest.raises(SettingError, match="'current' but there is no prior"):
        step.fit_map(twins.spaces, rng=rng(), start=start)
    with pytest.raises(SettingError, match="DensePrior has no method following"):
        step.fit_map(twins.spaces, rng=rng(), start=start, prior=DensePrior(twins, start))


@pytest.mark.parametrize("mode", ["fast", "exact"])
def test_the_step_has_the_published_size(mode: Mode) -> None:
    twins = make_twins(50)
    step = WassersteinProcrustes(steps=1, rate=0.5, epsilon=1e-3, rounding="one-hot", mode=mode)
    found = step.fit_map(twins.spaces, rng=rng(), start=near(twins.rotation))
    x, y = twins.source.vectors, twins.target.vectors
    u, _, vt = torch.linalg.svd(near(twins.rotation).weight)
    match = y[(x @ u @ vt @ y.T).argmax(1)]
    u, _, vt = torch.linalg.svd(u @ vt + (0.5 / 50) * x.T @ match)
    torch.testing.assert_close(found.weight, u @ vt, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("mode", "taken"), [("fast", 1), ("exact", 5)])
@pytest.mark.parametrize("cost", ["inner-product", "rcsls"])
def test_the_report_has_the_cost_of_the_match(cost: CostName, mode: Mode, taken: int) -> None:
    twins = make_twins(50)
    step = WassersteinProcrustes(epsilon=0.01, rounding="one-hot", cost=cost, steps=5, mode=mode)
    report = step.fit_map(twins.spaces, rng=rng(), start=LinearMap(twins.rotation)).report
    x, y = twins.source.vectors @ twins.rotation, twins.target.vectors
    similar = x @ y.T
    expected = similar.amax(1)
    if cost == "rcsls":
        means = [similar.topk(10, dim=i).values.mean(i) for i in (1, 0)]
        expected = (2 * similar - means[0][:, None] - means[1]).amax(1)
    assert report["transport_cost"] == pytest.approx(-float(expected.mean()), abs=1e-3)
    assert report["steps"] == taken
    assert 0 <= float(str(report["sinkhorn_converged"])) <= 1


def test_the_factors_of_the_cost_give_the_cost() -> None:
    x, y = unit_rows(torch.randn(30, 6)), unit_rows(torch.randn(40, 6))
    cost = MatchingCost(name="rcsls", neighborhood=4)
    product = cost.source_factor(x) @ cost.target_factor(y, x).T
    similar = x @ y.T
    r_x, r_y = similar.topk(4, dim=1).values.mean(1), similar.topk(4, dim=0).values.mean(0)
    expected = -2 * similar + r_x[:, None] + r_y
    torch.testing.assert_close(cost.source_terms(x, y)[:, None] - product, expected)


@pytest.mark.parametrize("rounding", ["one-hot", "soft"])
def test_fast_ends_where_exact_does(rounding: Rounding) -> None:
    twins = make_twins(2_000, dim=24, noise=0.3)
    prior = CslsSoftmax().make_prior(twins.spaces, near(twins.rotation))
    start = near(twins.rotation)
    maps = {
        mode: WassersteinProcrustes(rounding=rounding, mode=mode, steps=48, rate=25.0).fit_map(
            twins.spaces, rng=rng(), start=start, prior=prior
        )
        for mode in modes
    }
    begun = nearest_semi_orthogonal(start.weight)
    moved = float((maps["exact"].weight - begun).norm())
    assert float((maps["fast"].weight - maps["exact"].weight).norm()) < moved / 5
    assert maps["fast"].report["steps"] == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": 0}, "unsupervised.steps is 0: give 1 or more"),
        ({"batch": 0, "mode": "exact"}, "unsupervised.batch is 0: give 1 or more"),
        ({"batch": 0}, "unsupervised.batch is 0"),
        ({"batch": 100}, "unsupervised.batch has no effect with mode = 'fast'"),
        ({"rate": 0.0}, "unsupervised.rate is 0.0: give a number above 0"),
        ({"epsilon": math.nan}, "unsupervised.epsilon is nan"),
        ({"sinkhorn_tolerance": -1.0}, "unsupervised.sinkhorn_tolerance is -1.0"),
        ({"target_relaxation": 0.0}, "unsupervised.target_relaxation is 0.0"),
        ({"cost": "rcsls", "neighborhood": 0}, "unsupervised.neighborhood is 0"),
        ({"neighborhood": 5}, "neighborhood has no effect with cost = 'inner-product'"),
        ({"kept": 5}, "kept has no effect with rounding = 'soft'"),
    ],
)
def test_settings_out_of_bounds_are_errors(given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        WassersteinProcrustes(**given)  # type: ignore[arg-type]


def test_relaxed_matching_without_relaxation_is_an_error() -> None:
    with pytest.raises(SettingError, match="use 'wasserstein-procrustes'"):
        RelaxedMatching(target_relaxation=None)
