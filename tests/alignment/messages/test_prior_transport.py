from __future__ import annotations

import math

import pytest
import torch

from bilex.alignment.messages import CslsSoftmax
from bilex.config import build_part, load_preset
from bilex.errors import SettingError
from bilex.values import LinearMap
from twins import Twins, make_twins


def stretched(twins: Twins) -> torch.Tensor:
    """Return a map that changes the length of each row by another factor, as RCSLS does."""
    return twins.rotation @ torch.diag(torch.linspace(0.5, 5.0, twins.target.vectors.shape[1]))


def nearest_mean(inner: torch.Tensor, k: int) -> torch.Tensor:
    """Return the mean of the k largest numbers of each row, one row after another."""
    return torch.stack([row.sort(descending=True).values[:k].mean() for row in inner])


def softmax_of_costs(cost: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return Γ of equation (9) of the paper, entry by entry."""
    return torch.tensor(
        [
            [
                1 / sum(math.exp((float(cost[i, j]) - float(other)) / temperature) for other in row)
                for j in range(len(row))
            ]
            for i, row in enumerate(cost)
        ],
        dtype=torch.float64,
    )


def test_the_prior_of_the_paper_is_a_softmax_of_the_rcsls_cost() -> None:
    twins = make_twins(40, dim=6, noise=0.3)
    weight = stretched(twins)
    mapped, y = (twins.source.vectors @ weight).double(), twins.target.vectors.double()
    inner = mapped @ y.T  # lengths of mapped rows count
    cost = -2 * inner + nearest_mean(inner, 10)[:, None] + nearest_mean(inner.T, 10)[None]
    expected = softmax_of_costs(cost, 0.1)

    prior = CslsSoftmax().make_prior(twins.spaces, LinearMap(weight))
    found = prior.log_weights(torch.arange(40), torch.arange(40)).softmax(1)

    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=1e-3)
    for preset in ("css-paper", "pss-paper"):
        assert prior_of(preset) == CslsSoftmax()


def test_the_prior_of_the_published_code_weighs_once_and_looks_at_the_batch_alone() -> None:
    twins = make_twins(40, dim=6, noise=0.3)
    weight, batch = stretched(twins), torch.tensor([3, 39, 0, 17, 25, 8, 30, 31, 12, 5, 22, 9])
    mapped, y = (twins.source.vectors[batch] @ weight).double(), twins.target.vectors.double()
    inner = mapped @ y.T
    cost = -inner + nearest_mean(inner, 10)[:, None] + nearest_mean(inner.T, 10)[None]
    expected = softmax_of_costs(cost, 0.1)

    prior = prior_of("css-code").make_prior(twins.spaces, LinearMap(weight))
    found = prior.log_weights(batch, torch.arange(40)).softmax(1)

    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=1e-3)
    assert prior_of("pss-code") == prior_of("css-code")


def test_with_unit_lengths_the_prior_does_not_depend_on_the_size_of_the_map() -> None:
    twins = make_twins(40, dim=6, noise=0.3)
    ids = torch.arange(40)
    x, y = (twins.source.vectors @ twins.rotation).double(), twins.target.vectors.double()
    cosine = x @ y.T
    cost = -2 * cosine + nearest_mean(cosine, 10)[:, None] + nearest_mean(cosine.T, 10)[None]
    expected = softmax_of_costs(cost, 0.1)
    for size in (1.0, 1.7):
        prior = prior_of("css").make_prior(twins.spaces, LinearMap(size * twins.rotation))
        found = prior.log_weights(ids, ids).softmax(1)
        torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=1e-3)


def prior_of(preset: str) -> CslsSoftmax:
    prior = build_part("prior", load_preset(preset))
    assert isinstance(prior, CslsSoftmax)
    return prior


def test_blocks_are_parts_of_the_whole() -> None:
    twins = make_twins(40, dim=6)
    prior = CslsSoftmax(temperature=0.5).make_prior(twins.spaces, LinearMap(twins.rotation))
    whole = prior.log_weights(torch.arange(40), torch.arange(40))
    rows, columns = torch.tensor([5, 30, 2]), torch.tensor([1, 0])
    part = prior.log_weights(rows, columns)
    fresh = CslsSoftmax(temperature=0.5).make_prior(twins.spaces, LinearMap(twins.rotation))
    torch.testing.assert_close(fresh.log_weights(rows, columns), part)
    assert fresh.log_weights(rows, columns[:0]).shape == (3, 0)
    torch.testing.assert_close(part, whole[rows][:, columns])


def test_a_lower_temperature_gives_a_sharper_prior() -> None:
    twins = make_twins(40, dim=6, noise=0.5)
    ids = torch.arange(40)
    firm, soft = (
        CslsSoftmax(temperature=t)
        .make_prior(twins.spaces, LinearMap(twins.rotation))
        .log_weights(ids, ids)
        .softmax(1)
        .max()
        for t in (0.02, 0.5)
    )
    assert firm > soft


def test_a_prior_can_follow_another_map() -> None:
    twins = make_twins(40, dim=6)
    ids = torch.arange(40)
    message = CslsSoftmax()
    other = LinearMap(torch.eye(6))
    followed = message.make_prior(twins.spaces, LinearMap(twins.rotation)).following(other)
    expected = message.make_prior(twins.spaces, other)
    assert torch.equal(followed.log_weights(ids, ids), expected.log_weights(ids, ids))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 0.0),
        ("similarity_weight", 0.0),
        ("neighborhood", 0),
        ("source_pool", 0),
        ("lengths", "long"),
        ("density_over", "words"),
    ],
)
def test_settings_are_checked(name: str, value: float | str) -> None:
    with pytest.raises(SettingError, match=rf"prior\.{name}"):
        CslsSoftmax(**{name: value})  # type: ignore[arg-type]
