"""Hubs: words that are among the nearest neighbors of very many other words."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.inspection.geometry import normalized
from bilex.similarity import topk
from bilex.values import EmbeddingSpace

WORDS_LOOKED_AT = 10_000
"""The most frequent words; more would take much longer and change the result little."""

NEIGHBORHOOD = 10
"""The usual size in the literature on hubness (Radovanović et al., 2010) and in CSLS."""


@dataclass(frozen=True)
class Hubness:
    """How unevenly words occur as nearest neighbors, after the default normalization."""

    words: int
    neighborhood: int
    skewness: float  # of the number of times a word is a neighbor: 0 is even, above 1 has hubs
    largest: int  # how many words have `largest_word` as a neighbor
    largest_word: str
    never_chosen_share: float  # words that are not a neighbor of any other word


def measure_hubness(space: EmbeddingSpace) -> Hubness | None:
    """Count how often each frequent word is a neighbor; None with fewer than two usable words."""
    vectors = space.vectors[:WORDS_LOOKED_AT]
    lengths = torch.linalg.vector_norm(vectors, dim=1)
    kept = (torch.isfinite(lengths) & (lengths > 0)).nonzero().squeeze(1)
    if len(kept) < 2:
        return None
    k = min(NEIGHBORHOOD, len(kept) - 1)
    rows = normalized(vectors[kept]).float().contiguous()
    ids = _others_only(topk(rows, rows, k + 1).ids, k)
    chosen = torch.bincount(ids.flatten(), minlength=len(kept)).double()
    largest = int(chosen.argmax())
    return Hubness(
        words=len(kept),
        neighborhood=k,
        skewness=skewness(chosen),
        largest=int(chosen[largest]),
        largest_word=space.words[int(kept[largest])],
        never_chosen_share=float((chosen == 0).double().mean()),
    )


def _others_only(ids: torch.Tensor, k: int) -> torch.Tensor:
    """Drop each word from its own neighbors and keep k of the others, best first."""
    own = ids == torch.arange(len(ids), device=ids.device).unsqueeze(1)  # (n, k + 1)
    order = torch.sort(own.int(), dim=1, stable=True).indices
    return ids.gather(1, order)[:, :k]


def skewness(counts: torch.Tensor) -> float:
    """Return the skewness of counts: 0 if they are equal or symmetric around their mean."""
    deviations = counts - counts.mean()
    variance = float((deviations**2).mean())
    return float((deviations**3).mean()) / variance**1.5 if variance > 0 else 0.0
