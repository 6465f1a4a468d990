"""Closed-form maps: the rotation between paired words, and a map for few pairs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal, raise_spectrum
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, LinearMap, Matrix, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class Procrustes:
    """Learn the rotation that best aligns the paired words.

    Maximizes the sum of the inner products of paired rows of XW and Y over semi-orthogonal W
    (Schönemann, 1966): W = UVᵀ from the SVD of XᵀY. If both spaces have the same number of
    dimensions, W is orthogonal and also minimizes ‖XW − Y‖. If not, its rows or columns, whichever
    are fewer, are orthonormal. The solution is exact and has no settings.
    """

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the best map in closed form; `rng` and `start` are not used."""
        rotation = nearest_semi_orthogonal(_products(spaces, lexicon))
        return LinearMap(rotation.float(), {"step": "procrustes", "pairs": len(lexicon)})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedSpan:
    """Map only the directions that the pairs span, with larger weights for well-supported ones.

    With fewer pairs than dimensions, most of a rotation is undetermined. Procrustes fills these
    directions with arbitrary values, which hide what was learned. Here W = U Sᵖ Vᵀ from the same
    decomposition of XᵀY: directions without pairs are dropped, and directions supported by many
    pairs get more weight. Use it for a first map that finds more pairs. With many pairs, the
    rotation of Procrustes is better.

    Attributes:
        power: The exponent p of the singular values; 0 gives all spanned directions equal weight.
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
        """Return the map in closed form; `rng` and `start` are not used."""
        weight = raise_spectrum(_products(spaces, lexicon), self.power)
        return LinearMap(weight.float(), {"step": "seed-span", "pairs": len(lexicon)})


def _products(spaces: SpacePair, lexicon: IndexedLexicon) -> Matrix:
    """Return XᵀY of the paired rows, weighted, in float64."""
    if not len(lexicon):
        raise EmptyLexiconError(
            "there is no seed pair to learn from: give pairs with both words in the vocabularies"
        )
    x = spaces.source.vectors[lexicon.source_ids].double()  # (n_pairs, source_dim)
    y = spaces.target.vectors[lexicon.target_ids].double()  # (n_pairs, target_dim)
    return x.T @ (lexicon.weights.double()[:, None] * y)
