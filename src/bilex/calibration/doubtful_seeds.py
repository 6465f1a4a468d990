"""Seeds that look wrong: their words are far apart under maps trained without them."""

from __future__ import annotations

import math

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
"""A pair is far apart if, from both of its words, more than this share of the vocabulary is nearer
than the other word. That is so for 9 in 10 random pairs, and for 2 to 7 in 100 right ones."""

NEAR = 0.01
"""Half of the pairs must have a smaller share than this; otherwise the map itself is doubtful."""

EXPECTED_WRONG = 0.8
"""At least this share of the pairs that are listed as doubtful is expected to be wrong."""

EVIDENCE = 2.0
"""No pair is listed unless the estimated number of wrong pairs is this many standard errors above
zero."""

CAUTION = 0.5
"""The estimated number of wrong pairs is reduced by this many standard errors."""

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


def random_pairs(lexicon: IndexedLexicon) -> IndexedLexicon:
    """Return the words of the pairs in random combinations that are not in the lexicon."""
    order = torch.randperm(len(lexicon), generator=torch.Generator().manual_seed(0))
    order = order.to(lexicon.source_ids.device)
    found = IndexedLexicon(lexicon.source_ids, lexicon.target_ids[order], lexicon.weights)
    pairs = zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True)
    new = [target not in lexicon.answers[source] for source, target in pairs]
    return found.take(torch.tensor(new, dtype=torch.bool, device=order.device))


def far_apart(shares: Vector) -> torch.Tensor:
    """Return which pairs are far apart by their shares; none if the map itself is doubtful."""
    if not len(shares) or float(shares.median()) > NEAR:
        return torch.zeros_like(shares, dtype=torch.bool)
    return shares > FAR


def likely_wrong(shares: Vector, random_shares: Vector) -> torch.Tensor:
    """Return which pairs are far enough apart that most of them must be wrong.

    Wrong pairs are as far apart as random pairs. Right pairs are near, but some are far apart, such
    as the less usual translations of a word; their number falls as 1 / distance. Both numbers are
    estimated from how many pairs are far apart and how many are farther apart than the median
    random pair. The pairs farthest apart are returned, as many as possible with an expected share
    of wrong ones of at least `EXPECTED_WRONG`. If the pairs could all be right (see `EVIDENCE`),
    none is returned.
    """
    far = far_apart(shares)
    none = torch.zeros_like(far)
    middle = float(random_shares.median()) if len(random_shares) else 0.0
    if middle <= FAR:
        return none
    chance = random_shares.sort().values
    fall = FAR / middle  # of the number of right pairs, from FAR to the middle
    very_far = int((shares > middle).sum())
    excess = very_far - fall * int(far.sum())  # over the number if all pairs were right
    per_wrong = float((chance > middle).double().mean() - fall * (chance > FAR).double().mean())
    error = math.sqrt(very_far)
    if per_wrong <= 0 or excess <= EVIDENCE * error:
        return none
    wrong = (excess - CAUTION * error) / per_wrong
    distances = shares[far].sort(descending=True).values
    listed = torch.searchsorted(-distances, -distances, right=True)  # at this distance or beyond
    share_beyond = 1 - torch.searchsorted(chance, distances) / len(chance)
    expected = wrong * share_beyond
    enough = expected >= EXPECTED_WRONG * listed
    return shares >= distances[enough].min() if bool(enough.any()) else none


def doubtful_pairs(
    spaces: SpacePair, lexicon: IndexedLexicon, shares: Vector, random_shares: Vector
) -> tuple[tuple[str, str], ...]:
    """Return the words of the pairs that are likely wrong, the farthest apart first."""
    order = shares.sort(descending=True, stable=True).indices
    rows = order[likely_wrong(shares, random_shares)[order]]
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
