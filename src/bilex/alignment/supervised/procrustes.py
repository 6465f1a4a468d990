"""Closed forms: the rotation between paired words, and what few pairs tell of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal, raise_spectrum
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, LinearMap, Matrix, SpacePair


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
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the best map; being closed-form, it needs neither `rng` nor `start`."""
        rotation = nearest_semi_orthogonal(_products(spaces, lexicon))
        return LinearMap(rotation.float(), {"step": "procrustes", "pairs": len(lexicon)})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedSpan:
    """Map only the directions that the pairs tell of, and the surer ones more strongly.

    Fewer pairs than dimensions leave most of a rotation open. Procrustes fills it in with
    whatever comes, and that drowns what was learned; here W = U Sᵖ Vᵀ from the same
    decomposition of XᵀY, so that directions no pair tells of are dropped and those that many
    pairs agree on weigh more. Good for a first map to find more pairs with; from many pairs
    Procrustes' rotation is better.

    Attributes:
        power: p above; 0 lets all known directions weigh the same.
    """

    power: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.power <= 1:
            raise SettingError(f"supervised.power is {self.power}: give a number from 0 to 1")

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the map; being closed-form, it needs neither `rng` nor `start`."""
        weight = raise_spectrum(_products(spaces, lexicon), self.power)
        return LinearMap(weight.float(), {"step": "seed-span", "pairs": len(lexicon)})


def _products(spaces: SpacePair, lexicon: IndexedLexicon) -> Matrix:
    """Return XᵀY of the paired rows, weighted, in float64."""
    if not len(lexicon):
        raise EmptyLexiconError(
            "no seed pair to learn from: both words of a pair must be in the vocabularies"
        )
    x = spaces.source.vectors[lexicon.source_ids].double()  # (n_pairs, source_dim)
    y = spaces.target.vectors[lexicon.target_ids].double()  # (n_pairs, target_dim)
    return x.T @ (lexicon.weights.double()[:, None] * y)
