"""Finding the largest keys of each row of a tile without sorting the row."""

from __future__ import annotations

import torch

GROUP = 32
"""How many keys share one maximum: one pass over the tile, then 1/32 of it to search."""


def padded_width(columns: int) -> int:
    """Return the tile width that `select` wants for so many columns."""
    return -(-columns // GROUP) * GROUP


def select(keys: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the columns of the `count` largest keys of each row, and the largest key left out.

    The `count` largest keys lie in the `count` groups with the largest maxima: take the maxima
    of groups, search those, and look only at the keys of the groups found. A group is a column
    and those `width / GROUP` apart from it, so that maxima are taken over whole vectors.

    Args:
        keys: (n_rows, width) with width a multiple of `GROUP`.
        count: Less than the width.

    Returns:
        Columns, (n_rows, count), largest key first, and the largest other key, (n_rows,).
    """
    n_rows, width = keys.shape
    stride = width // GROUP
    if stride <= count:
        top = keys.topk(count + 1, dim=1)
        return top.indices[:, :count], top.values[:, count]
    groups = keys.view(n_rows, GROUP, stride)
    best = groups.amax(dim=1).topk(count + 1, dim=1)
    chosen = best.indices[:, :count]
    looked = groups.gather(2, chosen[:, None, :].expand(n_rows, GROUP, count))
    top = looked.view(n_rows, GROUP * count).topk(count + 1, dim=1)
    position = top.indices[:, :count]
    slab = position.div(count, rounding_mode="floor")
    columns = slab * stride + chosen.gather(1, position - slab * count)
    return columns, torch.maximum(best.values[:, count], top.values[:, count])
