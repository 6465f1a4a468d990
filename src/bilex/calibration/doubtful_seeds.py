"""Seeds that look wrong: their words are far apart under maps trained without them."""

from __future__ import annotations

import torch

from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Matrix,
    SpacePair,
    Vector,
    unit_rows,
)

FAR = 0.05
"""A pair looks wrong if, from both of its words, more than this share of the vocabulary is nearer
than the other word. That is so for 9 in 10 random pairs."""

NEAR = 0.01
"""Half of the pairs must have a smaller share than this; otherwise the map itself is doubtful."""

_BYTES_OF_A_NUMBER = 4


def distance_shares(spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon) -> Vector:
    """Return, for each pair, the share of the vocabulary that is nearer than the other word.

    It is measured from both words, and the smaller share is returned, because one word may have a
    meaning that the other does not have. 0 means nearest neighbors; for random pairs the shares are
    uniformly distributed.
    """
    source = unit_rows(mapping.apply(spaces.source.vectors))
    target = unit_rows(spaces.target.vectors)
    forward = _shares(source, lexicon.source_ids, target, lexicon.target_ids, spaces.compute)
    backward = _shares(target, lexicon.target_ids, source, lexicon.source_ids, spaces.compute)
    return torch.minimum(forward, backward)


def far_apart(shares: Vector) -> torch.Tensor:
    """Return which pairs look wrong by their shares; none if the map itself is doubtful."""
    if not len(shares) or float(shares.median()) > NEAR:
        return torch.zeros_like(shares, dtype=torch.bool)
    return shares > FAR


def doubtful_pairs(
    spaces: SpacePair, lexicon: IndexedLexicon, shares: Vector
) -> tuple[tuple[str, str], ...]:
    """Return the words of the pairs that look wrong, the farthest apart first."""
    order = shares.sort(descending=True, stable=True).indices
    rows = order[far_apart(shares)[order]]
    sources, targets = lexicon.source_ids[rows].tolist(), lexicon.target_ids[rows].tolist()
    return tuple(
        (spaces.source.words[i], spaces.target.words[j])
        for i, j in zip(sources, targets, strict=True)
    )


def _shares(
    queries: Matrix,
    rows: torch.Tensor,
    targets: Matrix,
    right: torch.Tensor,
    compute: Compute,
) -> Vector:
    at_once = max(1, compute.memory // (_BYTES_OF_A_NUMBER * len(targets)))
    found = []
    for some, theirs in zip(torch.split(rows, at_once), torch.split(right, at_once), strict=True):
        products = queries[some] @ targets.T  # (n_rows, n_answers)
        own = products.gather(1, theirs[:, None])
        found.append((products > own).sum(1) / len(targets))
    return torch.cat(found) if found else queries.new_zeros(0)
