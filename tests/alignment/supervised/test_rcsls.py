from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.alignment.supervised import Procrustes, Rcsls, RcslsDescent
from bilex.alignment.supervised.rcsls_loss import Batch, RcslsLoss
from bilex.errors import SettingError
from bilex.values import IndexedLexicon, LinearMap, Mode
from host_syncs import HostSyncs
from twins import Twins, make_twins

modes: tuple[Mode, Mode] = ("fast", "exact")


def published_loss(
    twins: Twins, located: IndexedLexicon, weight: torch.Tensor, k: int
) -> torch.Tensor:
    """Return the loss as the paper prints it, in float64 with all neighbors by brute force."""
    x_all, y_all = twins.source.vectors.double(), twins.target.vectors.double()
    x, y = x_all[located.source_ids], y_all[located.target_ids]
    mapped = x @ weight
    to_targets = (mapped @ y_all.T).topk(k, dim=1).values.mean(1)
    to_sources = (y @ (x_all @ weight).T).topk(k, dim=1).values.mean(1)
    losses = -2 * (mapped * y).sum(1) + to_targets + to_sources
    weights = located.weights.double()
    return (weights * losses).sum() / weights.sum()


def loss_of(twins: Twins, k: int = 3) -> RcslsLoss:
    return RcslsLoss(twins.spaces, neighborhood=k, source_pool=10**6, target_pool=10**6)


@given(
    size=st.integers(5, 40),
    source_dim=st.integers(2, 6),
    dim=st.integers(2, 6),
    draw=st.integers(0, 999),
)
@settings(deadline=None, max_examples=30)
def test_loss_and_gradient_agree_with_autograd(
    size: int, source_dim: int, dim: int, draw: int
) -> None:
    twins = make_twins(size, source_dim=source_dim, dim=dim, noise=0.3, draw=draw)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    rng = torch.Generator().manual_seed(draw)
    located = IndexedLexicon(
        located.source_ids, located.target_ids, 0.5 + torch.rand(size, generator=rng)
    )
    weight = torch.randn(source_dim, dim, generator=rng)
    free = weight.double().requires_grad_()
    expected = published_loss(twins, located, free, 3)
    (gradient,) = torch.autograd.grad(expected, free)

    value, found = loss_of(twins).value_and_gradient(Batch.of(twins.spaces, located), weight)

    assert value.item() == pytest.approx(expected.item(), abs=1e-5)
    torch.testing.assert_close(found.double(), gradient, atol=1e-5, rtol=1e-4)


def test_gradient_agrees_with_finite_differences() -> None:
    twins = make_twins(30, dim=4, noise=0.2)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    weight = torch.randn(4, 4, generator=torch.Generator().manual_seed(0)).double()
    _, gradient = loss_of(twins).value_and_gradient(Batch.of(twins.spaces, located), weight.float())
    for row, column in [(0, 0), (1, 3), (3, 2)]:
        step = torch.zeros(4, 4).double()
        step[row, column] = 1e-6
        ahead = published_loss(twins, located, weight + step, 3)
        behind = published_loss(twins, located, weight - step, 3)
        slope = (ahead - behind).item() / 2e-6
        assert gradient[row, column].item() == pytest.approx(slope, abs=1e-4)


def test_the_loss_is_convex_in_the_map() -> None:
    twins = make_twins(30, dim=4, noise=0.5)
    batch = Batch.of(twins.spaces, IndexedLexicon.locate(twins.lexicon, twins.spaces))
    loss = loss_of(twins)
    rng = torch.Generator().manual_seed(1)
    for _ in range(20):
        a, b = (torch.randn(4, 4, generator=rng) for _ in range(2))
        ends = [loss.value_and_gradient(batch, w)[0].item() for w in (a, b, (a + b) / 2)]
        assert ends[2] <= (ends[0] + ends[1]) / 2 + 1e-5


def test_pools_limit_where_neighbors_are_sought() -> None:
    twins = make_twins(40, dim=4, noise=0.2)
    batch = Batch.of(twins.spaces, IndexedLexicon.locate(twins.lexicon, twins.spaces))
    weight = torch.eye(4)
    whole = loss_of(twins).value_and_gradient(batch, weight)[0]
    small = RcslsLoss(twins.spaces, neighborhood=3, source_pool=5, target_pool=5)
    assert small.value_and_gradient(batch, weight)[0] < whole


@pytest.mark.parametrize(
    "step",
    [
        Rcsls(steps=60, batch=100, mode="exact"),
        Rcsls(steps=60, batch=100, mode="fast"),
        RcslsDescent(steps=30),
    ],
    ids=["steps", "strides", "descent"],
)
def test_descending_lowers_the_loss_of_procrustes(step: Rcsls | RcslsDescent) -> None:
    twins = make_twins(300, dim=10, noise=0.25)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    batch = Batch.of(twins.spaces, located)
    loss = loss_of(twins, 10)
    rotation = Procrustes().fit_map(twins.spaces, located, rng=torch.Generator())
    found = step.fit_map(twins.spaces, located, rng=torch.Generator().manual_seed(0))
    before = loss.value_and_gradient(batch, rotation.weight)[0]
    after = loss.value_and_gradient(batch, found.weight)[0]
    assert after < before
    assert found.report["pairs"] == 300


def test_descent_never_accepts_a_worse_map() -> None:
    twins = make_twins(200, dim=6, noise=0.4)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    losses = [
        float(
            RcslsDescent(steps=steps, rate=64.0)  # far too long: must be taken back
            .fit_map(twins.spaces, located, rng=torch.Generator())
            .report["loss"]  # type: ignore[arg-type]
        )
        for steps in (1, 3, 6, 12, 24)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_descent_stops_when_nothing_is_left_to_gain() -> None:
    twins = make_twins(60, dim=5)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = RcslsDescent(steps=500).fit_map(twins.spaces, located, rng=torch.Generator())
    assert found.report["converged"] is True


@pytest.mark.parametrize(
    "step", [Rcsls(steps=20, constraint="spectral"), RcslsDescent(steps=5)], ids=["sgd", "descent"]
)
def test_the_spectral_constraint_bounds_the_map(step: Rcsls | RcslsDescent) -> None:
    twins = make_twins(100, dim=6, noise=0.4)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = step.fit_map(twins.spaces, located, rng=torch.Generator().manual_seed(0))
    assert float(torch.linalg.matrix_norm(found.weight, 2)) <= 1 + 1e-5


def test_unconstrained_descent_may_stretch() -> None:
    twins = make_twins(100, dim=6)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = RcslsDescent(steps=5, constraint="none").fit_map(
        twins.spaces, located, rng=torch.Generator()
    )
    assert float(torch.linalg.matrix_norm(found.weight, 2)) > 1.1


def test_a_start_is_gone_on_from() -> None:
    twins = make_twins(100, dim=6, noise=0.1)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    start = LinearMap(torch.zeros(6, 6))
    rng = torch.Generator().manual_seed(0)
    found = Rcsls(steps=1, rate=1e-6).fit_map(twins.spaces, located, rng=rng, start=start)
    assert float(found.weight.abs().max()) < 1e-5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": 0}, r"supervised\.steps is 0: give 1 or more"),
        ({"batch": -1}, r"supervised\.batch is -1"),
        ({"rate": 0.0}, r"supervised\.rate is 0\.0: give a number above 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Rcsls(**settings)  # type: ignore[arg-type]


def test_descent_settings_are_checked() -> None:
    with pytest.raises(SettingError, match=r"supervised\.tolerance is -1"):
        RcslsDescent(tolerance=-1)
    with pytest.raises(SettingError, match=r"supervised\.rate"):
        RcslsDescent(rate=-1)


@pytest.mark.parametrize("size", [100, 500, pytest.param(1_500, marks=pytest.mark.slow)])
def test_strides_end_where_the_steps_do(size: int) -> None:
    twins = make_twins(size, dim=20, noise=0.5)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    batch, loss = Batch.of(twins.spaces, located), loss_of(twins, 10)
    begun = Procrustes().fit_map(twins.spaces, located, rng=torch.Generator()).weight
    maps = {
        mode: Rcsls(steps=400, rate=0.2, batch=size, mode=mode).fit_map(
            twins.spaces, located, rng=torch.Generator().manual_seed(0)
        )
        for mode in modes
    }
    moved = (maps["exact"].weight - begun).norm()
    apart = (maps["fast"].weight - maps["exact"].weight).norm()
    assert moved > 1
    assert apart < 0.05 * moved
    weights = begun, maps["fast"].weight, maps["exact"].weight
    before, *after = (loss.value_and_gradient(batch, weight)[0].item() for weight in weights)
    assert after[0] == pytest.approx(after[1], abs=0.02 * abs(before - after[1]))
    assert int(str(maps["fast"].report["steps"])) < 400 / 2
    assert maps["exact"].report["steps"] == 400


def test_a_stride_is_never_shorter_than_a_step() -> None:
    twins = make_twins(100, dim=6, noise=0.3)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    step = Rcsls(steps=4, rate=1e6, batch=100, mode="fast")  # each far beyond 5 % of the map
    found = step.fit_map(twins.spaces, located, rng=torch.Generator().manual_seed(0))
    assert found.report["steps"] == 4
    assert bool(found.weight.isfinite().all())


def test_a_map_without_slope_stays() -> None:
    twins = make_twins(1, dim=3)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    found = Rcsls(steps=5, neighborhood=1).fit_map(twins.spaces, located, rng=torch.Generator())
    assert bool(found.weight.isfinite().all())


@pytest.mark.parametrize("mode", ["fast", "exact"])
def test_neither_way_waits_for_the_device_in_a_step(mode: Mode) -> None:
    twins = make_twins(600, dim=16, noise=0.4)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    waits = []
    for steps in (100, 200):
        with HostSyncs() as seen:
            step = Rcsls(steps=steps, rate=0.5, batch=200, mode=mode)
            taken = step.fit_map(twins.spaces, located, rng=torch.Generator()).report["steps"]
        waits.append((int(str(taken)), len(seen.found)))
    (few, seldom), (many, often) = waits
    assert many >= few + 8
    allowed = (many - few) / (4 if mode == "fast" else 1 / 4)  # exactness asks for certificates
    assert often - seldom <= allowed
