"""What is done to singular values."""

from __future__ import annotations

import pytest
import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal, raise_spectrum


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


def spectrum(matrix: torch.Tensor) -> torch.Tensor:
    values: torch.Tensor = torch.linalg.svdvals(matrix.double())
    return values


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_only_the_spectrum_is_raised(power: float) -> None:
    given = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    found = raise_spectrum(given, power)
    values = spectrum(given)
    torch.testing.assert_close(spectrum(found), (values / values[0]) ** power, atol=1e-6, rtol=0)
    # the directions stay: both products are symmetric exactly if left and right vectors agree
    product = given.double().T @ found.double()
    torch.testing.assert_close(product, product.T, atol=1e-6, rtol=0)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_directions_a_matrix_is_silent_on_stay_silent(power: float) -> None:
    rng = torch.Generator().manual_seed(0)
    tall, wide = torch.randn(7, 2, generator=rng), torch.randn(2, 5, generator=rng)
    found = raise_spectrum(tall.double() @ wide.double(), power)
    assert int(torch.linalg.matrix_rank(found)) == 2
    assert torch.equal(raise_spectrum(torch.zeros(3, 2), power), torch.zeros(3, 2))
