from __future__ import annotations

import pytest
import torch

from bilex.alignment.messages import CslsSoftmax
from bilex.alignment.transport import WassersteinProcrustes
from bilex.values import LinearMap, Matrix
from twins import make_twins


class Spelled:
    """The same prior, not declared as an inner product."""

    def __init__(self, prior: object) -> None:
        self._prior = prior

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        return self._prior.log_weights(source_ids, target_ids)  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("mode", ["fast", "exact"])
@pytest.mark.parametrize("cost", ["inner-product", "rcsls"])
def test_adding_a_prior_as_an_inner_product_changes_nothing(cost: str, mode: str) -> None:
    twins = make_twins(80, dim=6, noise=0.2)
    prior = CslsSoftmax().make_prior(twins.spaces, LinearMap(twins.rotation))
    batch = 40 if mode == "exact" else None
    step = WassersteinProcrustes(steps=3, batch=batch, cost=cost, mode=mode)  # type: ignore[arg-type]
    start = LinearMap(torch.eye(6))
    found = [
        step.fit_map(
            twins.spaces, rng=torch.Generator().manual_seed(0), start=start, prior=prior
        ).weight
        for prior in (prior, Spelled(prior))
    ]
    torch.testing.assert_close(found[0], found[1], atol=1e-4, rtol=0)
