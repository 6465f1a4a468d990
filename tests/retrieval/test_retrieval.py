from __future__ import annotations

import pytest
import torch

from bilex.errors import SettingError
from bilex.retrieval import Csls, Nearest
from bilex.values import Compute


def test_nearest_is_cosine() -> None:
    candidates = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    found = (
        Nearest()
        .build(candidates, candidates, compute=Compute())
        .search(torch.tensor([[2.0, 0.1]]), k=2)
    )
    assert found.ids.tolist() == [[0, 1]]
    assert found.scores[0, 0].item() == pytest.approx(2 / (4.01**0.5))


def test_csls_score_is_two_cosines_minus_both_means() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    y = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    found = Csls(neighborhood=2).build(y, x, compute=Compute()).search(x, k=1)
    # cosines: x0·y = (1, 0.6), x1·y = (0, 0.8); r_x = (0.8, 0.4), r_y = (0.5, 0.7)
    assert found.ids.tolist() == [[0], [1]]
    assert found.scores.flatten().tolist() == pytest.approx([2 - 0.8 - 0.5, 1.6 - 0.4 - 0.7])


def test_neighborhood_must_be_positive() -> None:
    with pytest.raises(SettingError, match=r"retrieval\.neighborhood is 0: give 1 or more"):
        Csls(neighborhood=0)
