"""Measure, without learning a map, whether the vectors of two spaces agree with a lexicon."""

from __future__ import annotations

import torch

from bilex.inspection.geometry import normalized
from bilex.values import EmbeddingSpace, IndexedLexicon

PAIRS_LOOKED_AT = 1_000
"""The first usable pairs, one for each source word."""

FEWEST_PAIRS = 10
"""With fewer, the value is mostly noise."""

WORDS_CENTERED_ON = 20_000


def relational_similarity(
    lexicon: IndexedLexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> float | None:
    """Return how much similar source words have similar translations; None with too few pairs.

    Correlates the cosines of all pairs of source words with those of their translations (RSIM,
    Vulić et al., 2020). Near 0 the lexicon and the vectors are unrelated; correct pairs of
    published vectors from different corpora have 0.35 to 0.5.
    """
    rows = _first_of_each_source(lexicon)
    if len(rows) < FEWEST_PAIRS:
        return None
    upper = torch.triu_indices(len(rows), len(rows), offset=1)
    cosines = []
    for space, ids in ((source, lexicon.source_ids), (target, lexicon.target_ids)):
        chosen = _centered(space, ids[rows])  # (n_pairs, dim)
        cosines.append((chosen @ chosen.T)[upper[0], upper[1]].double())
    return _correlation(*cosines)


def _first_of_each_source(lexicon: IndexedLexicon) -> list[int]:
    seen: dict[int, int] = {}
    for row, source_id in enumerate(lexicon.source_ids.tolist()):
        seen.setdefault(source_id, row)
    return list(seen.values())[:PAIRS_LOOKED_AT]


def _centered(space: EmbeddingSpace, ids: torch.Tensor) -> torch.Tensor:
    rows = normalized(space.vectors[ids], reference=space.vectors[:WORDS_CENTERED_ON])
    return torch.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)


def _correlation(one: torch.Tensor, other: torch.Tensor) -> float | None:
    one, other = one - one.mean(), other - other.mean()
    scale = float((one.square().sum() * other.square().sum()).sqrt())
    return float((one * other).sum()) / scale if scale > 0 else None
