"""Scorers of candidates, stored as plain tensors: from features to log-odds of being correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch

from bilex.values import Matrix, Vector

_ROWS_AT_ONCE = 512  # so that the data of all trees stays in the CPU cache


class Scorer(Protocol):
    """Scores candidates by their features; its fields are its learned parameters."""

    def log_odds(self, features: Matrix) -> Matrix:
        """Return a number for each candidate: (n_words, k) from (n_words, k, n_features)."""
        ...

    def check(self, features: int) -> None:
        """Check the shapes and types of the tensors for this number of features.

        Raises:
            ValueError: If they are inconsistent.
        """
        ...


@dataclass(frozen=True, eq=False)
class StepScorer:
    """Log-odds that never decrease with one feature, learned by isotonic regression."""

    column: torch.Tensor  # which feature
    knots: Vector
    heights: Vector

    def check(self, features: int) -> None:
        """Raise `ValueError` unless there are at least two knots, each with a height."""
        _require(self.column.shape == () and 0 <= int(self.column) < features)
        _require(self.knots.ndim == 1 and len(self.knots) > 1)
        _require(self.knots.shape == self.heights.shape)
        _require_floats(self.knots, self.heights)

    def log_odds(self, features: Matrix) -> Matrix:
        """Interpolate between the knots; beyond them, return the last height."""
        values = features[..., int(self.column)].contiguous()
        right = torch.searchsorted(self.knots, values).clamp(1, len(self.knots) - 1)
        low, high = self.knots[right - 1], self.knots[right]
        share = ((values - low) / (high - low).clamp_min(1e-12)).clamp(0, 1)
        return self.heights[right - 1].lerp(self.heights[right], share)


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """A weighted sum of standardized features, learned by comparing the candidates of a word."""

    mean: Vector
    scale: Vector
    weights: Vector
    bias: torch.Tensor

    def check(self, features: int) -> None:
        """Raise `ValueError` unless each feature has a mean, a scale and a weight."""
        _require(self.bias.shape == ())
        for tensor in (self.mean, self.scale, self.weights):
            _require(tensor.shape == (features,))
        _require_floats(self.mean, self.scale, self.weights, self.bias)

    def log_odds(self, features: Matrix) -> Matrix:
        """Return the weighted sum."""
        parts = (features - self.mean) / self.scale * self.weights
        return (parts.sum(-1, dtype=torch.float64) + self.bias).float()

    @classmethod
    def joined(cls, scorers: Sequence[LinearScorer]) -> LinearScorer:
        """Return one scorer whose log-odds are the mean of those of several."""
        means = torch.stack([scorer.mean for scorer in scorers]).double()
        scales = torch.stack([scorer.scale for scorer in scorers]).double()
        slopes = torch.stack([scorer.weights for scorer in scorers]).double() / scales
        biases = torch.stack([scorer.bias for scorer in scorers]).double()
        mean, scale = means.mean(0), scales.mean(0)
        bias = (biases + ((mean - means) * slopes).sum(1)).mean()
        return cls(mean.float(), scale.float(), (slopes.mean(0) * scale).float(), bias.float())


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """A sum over complete binary trees, learned by gradient boosting.

    The left child of node i is 2i + 1, taken if the value is at most the threshold; the right child
    is 2i + 2. The values of a candidate are those of `with_differences`.
    """

    columns: torch.Tensor  # (n_trees, n_nodes), long: the value that each node looks at
    thresholds: Matrix  # (n_trees, n_nodes)
    leaves: Matrix  # (n_trees, n_nodes + 1)
    bias: torch.Tensor

    def check(self, features: int) -> None:
        """Raise `ValueError` unless the trees are complete and use existing features."""
        _require(self.bias.shape == () and self.columns.ndim == 2)
        trees, nodes = self.columns.shape
        _require(trees > 0 and nodes in (1, 3, 7, 15, 31))
        _require(self.columns.dtype == torch.long)
        _require(int(self.columns.min()) >= 0 and int(self.columns.max()) < 2 * features)
        _require(self.thresholds.shape == (trees, nodes))
        _require(self.leaves.shape == (trees, nodes + 1))
        _require_floats(self.thresholds, self.leaves, self.bias)

    def log_odds(self, features: Matrix) -> Matrix:
        """Return the sum of the leaves that each candidate reaches."""
        words = max(1, _ROWS_AT_ONCE // features.shape[1])
        return torch.cat(
            [
                self._sum_leaves(with_differences(some).flatten(0, 1)).view(some.shape[:2])
                for some in torch.split(features, words)
            ]
        )

    @classmethod
    def joined(cls, scorers: Sequence[TreeScorer]) -> TreeScorer:
        """Return one scorer whose log-odds are the mean of those of several."""
        return cls(
            torch.cat([scorer.columns for scorer in scorers]),
            torch.cat([scorer.thresholds for scorer in scorers]),
            torch.cat([scorer.leaves for scorer in scorers]) / len(scorers),
            torch.stack([scorer.bias for scorer in scorers]).mean(),
        )

    def _sum_leaves(self, rows: Matrix) -> Vector:
        """Return the sum of the reached leaves, by QuickScorer (Lucchese et al., 2015).

        A row that goes right at a node cannot reach the leaves below the left child. Which leaves
        remain after one feature depends only on how many thresholds the feature exceeds, so it is
        looked up in a table. The leftmost leaf that remains after all features is the one reached.
        """
        possible: torch.Tensor | None = None
        for column, thresholds, left_over in self._leaf_tables:
            exceeded = torch.searchsorted(thresholds, rows[:, column].contiguous())
            these = left_over.index_select(0, exceeded)  # (n_rows, n_trees)
            possible = these if possible is None else possible.bitwise_and_(these)
        assert possible is not None  # noqa: S101 - a tree has a node
        first = (possible & -possible).float().view(torch.int32)  # 2^leaf, as a float
        leaf = (first >> 23 & 0xFF) - 127  # exponent of the float
        place = leaf + self._first_leaf
        reached = self.leaves.flatten().index_select(0, place.flatten()).view(place.shape)
        return (reached.sum(1, dtype=torch.float64) + self.bias).float()

    @cached_property
    def _first_leaf(self) -> torch.Tensor:
        trees, leaves = self.leaves.shape
        return torch.arange(trees, dtype=torch.int32, device=self.leaves.device) * leaves

    @cached_property
    def _leaf_tables(self) -> list[tuple[int, Vector, torch.Tensor]]:
        """Return, for each feature, its thresholds and the leaves that remain possible.

        Leaves are bits; the leftmost leaf is the lowest bit. Row i of (n_thresholds + 1, n_trees)
        is for a value that exceeds the i lowest thresholds.
        """
        trees, nodes = self.columns.shape
        bits = torch.int16 if nodes < 16 else torch.int64
        keeps = torch.tensor([~leaves for leaves in _leaves_on_the_left(nodes)], dtype=bits)
        found = []
        for column in torch.unique(self.columns).tolist():
            tree, node = (self.columns == column).nonzero(as_tuple=True)
            thresholds, order = self.thresholds[tree, node].sort(stable=True)
            left_over = torch.full((len(order) + 1, trees), -1, dtype=bits)
            left_over[torch.arange(1, len(order) + 1), tree[order].cpu()] = keeps[node[order].cpu()]
            np.bitwise_and.accumulate(left_over.numpy(), axis=0, out=left_over.numpy())
            found.append((column, thresholds, left_over.to(self.columns.device)))
        return found


def with_differences(features: Matrix) -> Matrix:
    """Return the features, then each minus its mean over the candidates of the word.

    A tree cannot compare the candidates of a word with each other; by the differences it can.
    """
    mean = features.mean(1, keepdim=True, dtype=torch.float64).float()
    return torch.cat([features, features - mean], dim=2)


def _leaves_on_the_left(nodes: int) -> list[int]:
    """Return, for each node of a complete tree, the leaves below its left child as bits."""
    leaves = nodes + 1
    found = []
    for node in range(nodes):
        depth = (node + 1).bit_length() - 1
        below = leaves >> depth
        first = (node + 1 - (1 << depth)) * below
        found.append(((1 << below // 2) - 1) << first)
    return found


KINDS: Mapping[str, type[StepScorer] | type[LinearScorer] | type[TreeScorer]] = {
    "isotonic": StepScorer,
    "listwise": LinearScorer,
    "boosted": TreeScorer,
}
"""The scorer of each learner, by the learner's name. Names of learners that are used together are
joined by +."""


@dataclass(frozen=True, eq=False)
class MeanScorer:
    """The weighted mean of the log-odds of several scorers."""

    scorers: tuple[Scorer, ...]
    shares: tuple[float, ...]  # the weight of each scorer; their sum is 1

    def log_odds(self, features: Matrix) -> Matrix:
        """Return the mean of the scorers' log-odds."""
        odds = torch.stack([scorer.log_odds(features) for scorer in self.scorers]).double()
        shares = torch.tensor(self.shares, dtype=torch.float64, device=odds.device)
        return (odds * shares[:, None, None]).sum(0).float()

    def check(self, features: int) -> None:
        """Check each scorer."""
        for scorer in self.scorers:
            scorer.check(features)


def mean_of(scorers: Sequence[Scorer]) -> Scorer:
    """Return a scorer with the mean log-odds of several; those of one kind become one scorer."""
    trees: dict[int, list[TreeScorer]] = {}
    lines: list[LinearScorer] = []
    found: list[tuple[Scorer, int]] = []
    for scorer in scorers:
        if isinstance(scorer, TreeScorer):
            trees.setdefault(scorer.columns.shape[1], []).append(scorer)
        elif isinstance(scorer, LinearScorer):
            lines.append(scorer)
        else:
            found.append((scorer, 1))
    found += [(TreeScorer.joined(alike), len(alike)) for alike in trees.values()]
    if lines:
        found.append((LinearScorer.joined(lines), len(lines)))
    if len(found) == 1:
        return found[0][0]
    return MeanScorer(
        tuple(scorer for scorer, _ in found), tuple(count / len(scorers) for _, count in found)
    )


def _require_floats(*tensors: torch.Tensor) -> None:
    _require(all(tensor.dtype == torch.float32 for tensor in tensors))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("the tensors of a scorer have inconsistent shapes or types")
