"""Vectors rounded to small integers, whose products are exact in any order of summation.

What is found with them depends neither on the number of threads, nor on the type in which they are
multiplied, nor on which vectors are multiplied together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from bilex.similarity.hardware import fast_bfloat16, fast_int8
from bilex.similarity.products import BFLOAT16_STEP
from bilex.values import Matrix, Vector

_LARGEST = 127
_EXACT = 2**24  # float32 represents all integers up to this one


class Grid(NamedTuple):
    """Rounds vectors to integers, and multiplies them in the fastest type that has no error."""

    scale: Vector | float
    largest: int
    dtype: torch.dtype

    @classmethod
    def of(cls, rows: Matrix) -> Grid:
        """Return one grid for all rows, so that products with them can be compared."""
        return cls(max(float(rows.abs().max()), 1e-30), *_type_for(rows))

    @classmethod
    def of_each(cls, rows: Matrix) -> Grid:
        """Return a grid with another scale for each row."""
        return cls(rows.abs().amax(1, keepdim=True).clamp(min=1e-30), *_type_for(rows))

    def levels(self, rows: Matrix) -> Matrix:
        """Return the rows as integers, in float32."""
        return (rows * (self.largest / self.scale)).round_()

    def rounded(self, rows: Matrix) -> torch.Tensor:
        """Return the rows as integers in the type of products, with padding."""
        padding = -rows.shape[1] % BFLOAT16_STEP
        return torch.nn.functional.pad(self.levels(rows), (0, padding)).to(self.dtype)

    def products(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return the products of all rows of both, which `keys` makes the same in any type."""
        if self.dtype == torch.int8:
            return torch._int_mm(left, right.T)
        return torch.mm(left, right.T)

    @staticmethod
    def keys(products: torch.Tensor) -> torch.Tensor:
        """Return products as integers that are sorted like positive ones.

        The integers are the bits of the products in bfloat16. Negative products have the smallest,
        in no order. Larger products never have smaller keys, so the key of the largest of some
        positive products is their largest key.
        """
        return products.bfloat16().view(torch.int16)


def _type_for(rows: Matrix) -> tuple[int, torch.dtype]:
    """Return the largest integer whose products can be summed exactly, and the fastest type."""
    largest = min(_LARGEST, math.isqrt(_EXACT // rows.shape[1]))
    if fast_bfloat16(rows.device):
        return largest, torch.bfloat16
    return largest, torch.int8 if fast_int8(rows.device) else torch.float32
