"""Two spaces a known rotation apart: every step has a right answer on them."""

from __future__ import annotations

from typing import NamedTuple

import torch

from bilex.values import EmbeddingSpace, Lexicon, SpacePair, unit_rows


class Twins(NamedTuple):
    """Two spaces a known rotation apart, and the pairs that are right."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    lexicon: Lexicon
    rotation: torch.Tensor

    @property
    def spaces(self) -> SpacePair:
        return SpacePair(self.source, self.target)


def make_twins(
    size: int = 60,
    *,
    dim: int = 8,
    noise: float = 0.0,
    source_dim: int | None = None,
    draw: int = 0,
) -> Twins:
    """Make two spaces with the same words, `sN` and `tN`, the target in another order."""
    rng = torch.Generator().manual_seed(draw)
    x = unit_rows(torch.randn(size, source_dim or dim, generator=rng))
    tall = torch.randn(max(x.shape[1], dim), max(x.shape[1], dim), generator=rng)
    rotation = torch.linalg.qr(tall).Q[: x.shape[1], :dim].contiguous()
    order = torch.randperm(size, generator=rng)
    y = unit_rows((x @ rotation + noise * torch.randn(size, dim, generator=rng))[order])
    source = EmbeddingSpace(tuple(f"s{i}" for i in range(size)), x)
    target = EmbeddingSpace(tuple(f"t{i}" for i in order.tolist()), y)
    lexicon = Lexicon.of([(f"s{i}", f"t{i}") for i in range(size)])
    return Twins(source, target, lexicon, rotation)
