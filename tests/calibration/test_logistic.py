from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from bilex.calibration.logistic import fit_logistic


def draw(n: int, features: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(seed)
    rows = torch.randn(n, features, generator=rng, dtype=torch.float64)
    odds = 3 * rows[:, 0] - rows[:, 1] - 2
    return rows, (torch.rand(n, generator=rng, dtype=torch.float64) < odds.sigmoid()).double()


@pytest.mark.parametrize("strength", [0.1, 10.0])
@pytest.mark.parametrize("n", [30, 2_000])
def test_finds_what_scikit_learn_finds(n: int, strength: float) -> None:
    rows, target = draw(n, 4, seed=1)
    weights = torch.rand(n, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    oracle = LogisticRegression(C=1 / strength, tol=1e-10, max_iter=5_000)
    oracle.fit(rows.numpy(), target.numpy(), sample_weight=weights.numpy())
    penalty = torch.tensor([strength] * 4 + [0.0], dtype=torch.float64)
    found = fit_logistic(
        torch.nn.functional.pad(rows, (0, 1), value=1.0),
        target,
        weights=weights,
        penalty=penalty,
        center=torch.zeros(5, dtype=torch.float64),
    )
    expected = np.append(oracle.coef_[0], oracle.intercept_)
    assert found.tolist() == pytest.approx(expected.tolist(), abs=1e-4)


def test_the_penalty_pulls_towards_the_center() -> None:
    rows, target = draw(50, 2, seed=3)
    center = torch.tensor([5.0, -7.0], dtype=torch.float64)
    penalty = torch.full((2,), 1e9, dtype=torch.float64)
    found = fit_logistic(rows, target, penalty=penalty, center=center)
    assert found.tolist() == pytest.approx(center.tolist(), abs=1e-3)


def test_separable_classes_and_columns_of_zeros_end_in_finite_numbers() -> None:
    rows = torch.tensor([[-1.0, 0.0, 1.0], [-0.5, 0.0, 1.0], [0.5, 0.0, 1.0]], dtype=torch.float64)
    target = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    zero = torch.zeros(3, dtype=torch.float64)
    for penalty in (zero, torch.tensor([1e-3, 0.0, 0.0], dtype=torch.float64)):
        found = fit_logistic(rows, target, penalty=penalty, center=zero)
        assert bool(found.isfinite().all())
        assert bool(((rows @ found > 0) == target.bool()).all())
