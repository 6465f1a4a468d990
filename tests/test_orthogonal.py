"""The projection onto rotations."""

from __future__ import annotations

import pytest
import torch

from bilex.orthogonal import nearest_semi_orthogonal


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (6, 3), (3, 6), (1, 1)])
def test_the_fewer_of_rows_and_columns_are_orthonormal(rows: int, columns: int) -> None:
    given = torch.randn(rows, columns, generator=torch.Generator().manual_seed(0))
    found = nearest_semi_orthogonal(given)
    gram = found @ found.T if rows < columns else found.T @ found
    torch.testing.assert_close(gram, torch.eye(min(rows, columns)))
    assert found.dtype == given.dtype


def test_a_rotation_is_its_own_nearest_even_when_scaled() -> None:
    rotation = torch.linalg.qr(torch.randn(5, 5, dtype=torch.float64)).Q
    torch.testing.assert_close(nearest_semi_orthogonal(3 * rotation), rotation)


def test_a_matrix_without_full_rank_still_gives_a_rotation() -> None:
    found = nearest_semi_orthogonal(torch.zeros(3, 3))
    torch.testing.assert_close(found @ found.T, torch.eye(3))
