from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.calibration.calibration_error import calibration_error, log_loss
from candidates import precision_area

labeled = st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=40)


def columns(found: list[tuple[float, bool]]) -> list[torch.Tensor]:
    return [torch.tensor(column, dtype=torch.float32) for column in zip(*found, strict=True)]


@settings(deadline=None)
@given(labeled)
def test_calibration_error_by_its_definition(found: list[tuple[float, bool]]) -> None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for chance, right in found:
        # In float32, as the probabilities are: 0.6 is a little more there.
        number = int(torch.tensor(chance) * 10)
        bins.setdefault(min(number, 9), []).append((chance, right))
    expected = 0.0
    for members in bins.values():
        confidence = sum(chance for chance, _ in members) / len(members)
        accuracy = sum(right for _, right in members) / len(members)
        expected += len(members) / len(found) * abs(confidence - accuracy)
    assert calibration_error(*columns(found)) == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
@given(labeled)
def test_precision_area_by_its_definition(found: list[tuple[float, bool]]) -> None:
    trusted = sorted(found, key=lambda one: -one[0])  # stable, as ours is
    precisions = [sum(right for _, right in trusted[:n]) / n for n in range(1, len(trusted) + 1)]
    assert precision_area(*columns(found)) == pytest.approx(sum(precisions) / len(precisions))


def test_trusting_the_right_ones_first_is_best() -> None:
    right = torch.tensor([1.0, 1.0, 0.0, 0.0])
    assert precision_area(torch.tensor([0.9, 0.8, 0.2, 0.1]), right) == pytest.approx(
        (1 + 1 + 2 / 3 + 0.5) / 4
    )
    assert precision_area(torch.tensor([0.1, 0.2, 0.8, 0.9]), right) == pytest.approx(
        (0 + 0 + 1 / 3 + 0.5) / 4
    )


def test_log_loss_is_summed_over_candidates_and_averaged_over_words() -> None:
    chances = torch.tensor([[0.8, 0.1], [0.5, 0.0]])
    right = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    first = -math.log(0.8) - math.log(0.9)
    second = -math.log(0.5) - math.log(1e-6)  # sure and wrong: dear, but not infinite
    assert log_loss(chances, right) == pytest.approx((first + second) / 2, rel=1e-5)
