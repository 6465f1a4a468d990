"""Sorting scores so that ties are broken by row number."""

from __future__ import annotations

import torch


def ranked(scores: torch.Tensor, ids: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k best ids and scores of each row: best score first, then lowest id.

    Score and id become one integer: the float's bits, made to sort like the float, above the
    complement of the id.
    """
    bits = (scores + 0.0).view(torch.int32).long()  # + 0.0 turns -0.0 into 0.0
    ordered = torch.where(bits < 0, bits ^ 0x7FFF_FFFF, bits)
    best = ((ordered << 32) | (0xFFFF_FFFF - ids)).topk(k, dim=1).values
    ordered = best >> 32
    bits = torch.where(ordered < 0, ordered ^ 0x7FFF_FFFF, ordered)
    return 0xFFFF_FFFF - (best & 0xFFFF_FFFF), bits.int().view(torch.float32)
