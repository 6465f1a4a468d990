from __future__ import annotations

import pytest
import torch

from bilex.alignment.messages import CslsSoftmax
from bilex.errors import SettingError
from bilex.values import LinearMap
from twins import make_twins


def test_the_prior_is_a_softmax_of_the_rcsls_cost() -> None:
    twins = make_twins(40, dim=6, noise=0.3)
    weight = 1.7 * twins.rotation  # the length of mapped rows does not matter
    x, y = (twins.source.vectors @ twins.rotation).double(), twins.target.vectors.double()
    cosine = x @ y.T
    r_x = cosine.topk(10, dim=1).values.mean(1)
    r_y = cosine.topk(10, dim=0).values.mean(0)
    cost = -2 * cosine + r_x[:, None] + r_y[None]
    expected = torch.softmax(-cost / 0.1, dim=1)

    prior = CslsSoftmax().make_prior(twins.spaces, LinearMap(weight))
    found = prior.log_weights(torch.arange(40), torch.arange(40)).softmax(1)

    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=1e-3)


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
    ("name", "value"), [("temperature", 0.0), ("neighborhood", 0), ("source_pool", 0)]
)
def test_settings_are_checked(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=rf"prior\.{name}"):
        CslsSoftmax(**{name: value})  # type: ignore[arg-type]
