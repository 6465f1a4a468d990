"""The relaxed CSLS loss of Joulin et al. (2018) and its gradient."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.similarity import SearchPool, mean_of_nearest
from bilex.values import IndexedLexicon, Matrix, SpacePair, Vector


@dataclass(frozen=True, slots=True)
class Batch:
    """Paired rows and the weight of each pair; the weights sum to 1."""

    source: Matrix  # (n_pairs, source_dim)
    target: Matrix  # (n_pairs, target_dim)
    weights: Vector  # (n_pairs,)

    @classmethod
    def of(cls, spaces: SpacePair, lexicon: IndexedLexicon) -> Batch:
        """Gather the vectors of all pairs."""
        return cls(
            spaces.source.vectors[lexicon.source_ids],
            spaces.target.vectors[lexicon.target_ids],
            lexicon.weights / lexicon.weights.sum(),
        )

    def take(self, rows: torch.Tensor) -> Batch:
        """Return some of the pairs."""
        weights = self.weights[rows]
        return Batch(self.source[rows], self.target[rows], weights / weights.sum())


class RcslsLoss:
    """The negative CSLS of the pairs under a map.

    For a pair (x, y), with N the k nearest rows of the other language under the map W,

        −2 xW·y + mean of xW·t over t in N(xW) + mean of sW·y over s in N(y),

    averaged over the pairs. The loss is convex in W, because the mean of the k largest of linear
    functions is convex. Neighbors are searched among the most frequent words of both languages.
    Those of y are found by mapping y backward (sW·y = s·yWᵀ), so the pools are never mapped. With
    `exact` the neighbors are the true ones. Without it they come from a product of lower precision,
    with little effect on the loss.
    """

    def __init__(
        self,
        spaces: SpacePair,
        *,
        neighborhood: int,
        source_pool: int,
        target_pool: int,
        exact: bool = True,
    ) -> None:
        self._neighborhood = neighborhood
        self._exact = exact
        self._sources = SearchPool(spaces.source.vectors[:source_pool], compute=spaces.compute)
        self._targets = SearchPool(spaces.target.vectors[:target_pool], compute=spaces.compute)

    def value_and_gradient(self, batch: Batch, weight: Matrix) -> tuple[torch.Tensor, Matrix]:
        """Return the loss of a map on a batch, and its gradient with respect to the map."""
        mapped = batch.source @ weight  # (n_pairs, target_dim)
        near_targets = self._neighbor_mean(self._targets, mapped)
        near_sources = self._neighbor_mean(self._sources, batch.target @ weight.T)
        pull = near_targets - 2 * batch.target
        losses = (mapped * pull).sum(1) + ((near_sources @ weight) * batch.target).sum(1)
        weights = batch.weights[:, None]
        gradient = batch.source.T @ (weights * pull) + near_sources.T @ (weights * batch.target)
        return batch.weights @ losses, gradient

    def _neighbor_mean(self, pool: SearchPool, queries: Matrix) -> Matrix:
        """Return the mean of the nearest rows of each query."""
        return mean_of_nearest(pool, queries, self._neighborhood, exact=self._exact)
