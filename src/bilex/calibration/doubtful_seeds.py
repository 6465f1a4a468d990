"""Seeds that look wrong: maps that have not seen them put their two words far apart."""

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
"""Share of the vocabulary that is nearer than the other word of a pair: beyond it, seen from both
words, a pair looks wrong. Of pairs made at random, 9 in 10 are."""

NEAR = 0.01
"""The share that half of the pairs must be within: otherwise the map itself is doubtful."""

_BYTES_OF_A_NUMBER = 4


def distance_shares(spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon) -> Vector:
    """Return, for each pair, which share of the vocabulary is nearer to one word than the other.

    It is measured from both sides, and the smaller share counts: one word may have a meaning that
    the other lacks. 0 is the nearest; for random pairs the shares are uniform.
    """
    source = unit_rows(mapping.apply(spaces.source.vectors))
    target = unit_rows(spaces.target.vectors)
    forward = _shares(source, lexicon.source_ids, target, lexicon.target_ids, spaces.compute)
    backward = _shares(target, lexicon.target_ids, source, lexicon.source_ids, spaces.compute)
    return torch.minimum(forward, backward)


def far_apart(shares: Vector) -> torch.Tensor:
    """Return which pairs look wrong by their shares; none if most pairs are not near each other."""
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
