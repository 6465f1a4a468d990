from __future__ import annotations

import pytest
import torch

from bilex.alignment.messages import CslsSoftmax
from bilex.alignment.transport.cost import MatchingCost
from bilex.alignment.transport.matching import FastMatching, MatchingProblem
from bilex.alignment.transport.sweeps import SweptPlan
from bilex.values import LinearMap
from twins import make_twins


@pytest.mark.parametrize(("iterations", "continues"), [(1, False), (50, True)])
def test_the_next_match_continues_a_plan_unless_iterations_are_few_on_purpose(
    iterations: int, continues: bool
) -> None:
    twins = make_twins(80, dim=6, noise=0.5)
    problem = MatchingProblem(
        spaces=twins.spaces,
        source_pool=80,
        target_pool=60,
        batch=80,
        epsilon=1.0,
        cost=MatchingCost(),
        rounding="soft",
        kept=10,
        iterations=iterations,
        tolerance=0.0,
        relaxation=None,
    )
    sharp = CslsSoftmax(temperature=0.003).make_prior(twins.spaces, LinearMap(twins.rotation))
    matching = FastMatching(problem)
    errors = []
    for _ in range(2):
        plan = matching.match(twins.rotation, sharp, torch.Generator()).plan
        assert isinstance(plan, SweptPlan)
        assert not plan.converged
        errors.append(plan.error)
    assert (errors[1] < 0.9 * errors[0]) is continues
    assert (errors[1] == errors[0]) is not continues
