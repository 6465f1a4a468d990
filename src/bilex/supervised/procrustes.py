"""The closed-form rotation between paired words."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import EmptyLexiconError
from bilex.orthogonal import nearest_semi_orthogonal
from bilex.values import IndexedLexicon, LinearMap, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Procrustes:
    """Rotate the source space until paired words coincide.

    Maximizes the summed inner products of the paired rows of XW and Y over semi-orthogonal W
    (Schönemann, 1966): W = UVᵀ from the SVD of XᵀY. Where the two spaces have as many
    dimensions, W is orthogonal and also minimizes ‖XW − Y‖; else its rows or columns, whichever
    are fewer, are orthonormal. Nothing to tune, nothing to converge.
    """

    def fit_map(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the best map; being closed-form, it needs neither `rng` nor `start`."""
        if not len(lexicon):
            raise EmptyLexiconError(
                "no seed pair to learn from: both words of a pair must be in the vocabularies"
            )
        x = pair.source.vectors[lexicon.source_ids].double()  # (n_pairs, source_dim)
        y = pair.target.vectors[lexicon.target_ids].double()  # (n_pairs, target_dim)
        weights = lexicon.weights.double()[:, None]
        rotation = nearest_semi_orthogonal(x.T @ (weights * y))
        return LinearMap(rotation.float(), {"step": "procrustes", "pairs": len(lexicon)})
