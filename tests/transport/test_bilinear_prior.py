from __future__ import annotations

import pytest
import torch

from bilex.messages import CslsSoftmax
from bilex.transport import WassersteinProcrustes
from bilex.values import LinearMap, Matrix
from twins import make_twins


class Spelled:
    """The same belief, without saying that it is an inner product."""

    def __init__(self, prior: object) -> None:
        self._prior = prior

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        return self._prior.log_weights(source_ids, target_ids)  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("mode", ["fast", "exact"])
@pytest.mark.parametrize("cost", ["inner-product", "rcsls"])
def test_adding_a_prior_as_an_inner_product_changes_nothing(cost: str, mode: str) -> None:
    twins = make_twins(80, dim=6, noise=0.2)
    prior = CslsSoftmax().make_prior(twins.pair, LinearMap(twins.rotation))
    step = WassersteinProcrustes(steps=3, batch=40, cost=cost, mode=mode)  # type: ignore[arg-type]
    start = LinearMap(torch.eye(6))
    found = [
        step.fit_map(
            twins.pair, rng=torch.Generator().manual_seed(0), start=start, prior=belief
        ).weight
        for belief in (prior, Spelled(prior))
    ]
    torch.testing.assert_close(found[0], found[1], atol=1e-4, rtol=0)
