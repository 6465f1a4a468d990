"""Select the largest entries of each row, without sorting the whole row."""

from __future__ import annotations

import torch

GROUP = 8
"""Keys per group: one pass takes the maximum of each group; only the best groups are searched."""

_FEW = 16  # up to this many times as many keys as requested are searched without groups


def padded_width(columns: int) -> int:
    """Return the number of columns rounded up to whole groups of groups, as `select` needs it."""
    return -(-columns // GROUP**2) * GROUP**2


def select(keys: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the columns of the `count` largest keys of each row, and the largest key left out.

    The `count` largest keys are in the `count` groups with the largest maxima: take the maximum
    of each group, select the largest maxima in the same way, and search only the keys of those
    groups. A group is a column and every `width / GROUP`-th column after it, so that maxima are
    taken over whole vectors.

    Args:
        keys: (n_rows, width) with width as `padded_width` returns it.
        count: Less than the width.

    Returns:
        Columns, (n_rows, count), largest key first, and the largest other key, (n_rows,).
    """
    n_rows, width = keys.shape
    stride = width // GROUP
    if width % GROUP or stride <= count or width <= _FEW * count:
        top = keys.topk(count + 1, dim=1)
        return top.indices[:, :count], top.values[:, count]
    groups = keys.view(n_rows, GROUP, stride)
    chosen, left_out = select(groups.amax(dim=1), count)
    looked = groups.gather(2, chosen[:, None, :].expand(n_rows, GROUP, count))
    top = looked.view(n_rows, GROUP * count).topk(count + 1, dim=1)
    position = top.indices[:, :count]
    slab = position.div(count, rounding_mode="floor")
    columns = slab * stride + chosen.gather(1, position - slab * count)
    return columns, torch.maximum(left_out, top.values[:, count])


def ranked(scores: torch.Tensor, ids: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k best ids and scores of each row: best score first, then lowest id.

    Score and id are packed into one integer: in the high half the bits of the float, changed to
    sort like the float, in the low half the complement of the id.
    """
    bits = (scores + 0.0).view(torch.int32).long()  # + 0.0 turns -0.0 into 0.0
    ordered = torch.where(bits < 0, bits ^ 0x7FFF_FFFF, bits)
    best = ((ordered << 32) | (0xFFFF_FFFF - ids)).topk(k, dim=1).values
    ordered = best >> 32
    bits = torch.where(ordered < 0, ordered ^ 0x7FFF_FFFF, ordered)
    return 0xFFFF_FFFF - (best & 0xFFFF_FFFF), bits.int().view(torch.float32)
