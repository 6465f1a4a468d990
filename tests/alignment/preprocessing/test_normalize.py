from __future__ import annotations

import pytest
import torch

from bilex.alignment.preprocessing import Center, Pipeline, UnitLength
from bilex.errors import DimensionError, SettingError, UnknownPluginError
from bilex.values import NormalizationStep


def test_unit_length_makes_unit_rows_and_spares_zero() -> None:
    rows = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    result = UnitLength().learn(rows).apply(rows)
    assert result.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]


def test_center_subtracts_the_mean() -> None:
    rows = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    assert Center().learn(rows).apply(rows).tolist() == [[-1.0, -2.0], [1.0, 2.0]]


def test_the_default_pipeline_is_unit_center_unit() -> None:
    rows = torch.randn(30, 4, generator=torch.Generator().manual_seed(0)) + 1
    unit = rows / rows.norm(dim=1, keepdim=True)
    centered = unit - unit.mean(0)
    expected = centered / centered.norm(dim=1, keepdim=True)
    torch.testing.assert_close(Pipeline().learn(rows).apply(rows), expected)


def test_pipeline_rejects_unknown_steps_and_itself() -> None:
    with pytest.raises(UnknownPluginError, match=r"'centre'.*did you mean 'center'"):
        Pipeline(steps=("centre",))
    with pytest.raises(SettingError, match="cannot contain itself"):
        Pipeline(steps=("pipeline",))


def test_a_linear_step_multiplies_and_must_have_its_matrix() -> None:
    rows = torch.tensor([[1.0, 2.0]])
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert NormalizationStep("linear", swap).apply(rows).tolist() == [[2.0, 1.0]]
    with pytest.raises(DimensionError, match="'shift' step needs a tensor"):
        NormalizationStep("shift").apply(rows)
