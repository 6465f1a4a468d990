"""What was learned of candidates, as plain tensors: features in, log-odds of being right out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch

from bilex.values import Matrix, Vector

_ROWS_AT_ONCE = 512  # what is known of all trees then stays in the cache


class Scorer(Protocol):
    """Judges candidates by their features; its fields are all it knows."""

    def log_odds(self, features: Matrix) -> Vector:
        """Return one number for each row of `features` (n, n_features)."""
        ...

    def check(self, features: int) -> None:
        """Raise unless its tensors fit each other and so many features.

        Raises:
            ValueError: If they do not.
        """
        ...


@dataclass(frozen=True, eq=False)
class StepScorer:
    """Chances that only rise with one feature, as isotonic regression finds them."""

    column: torch.Tensor  # which feature
    knots: Vector
    heights: Vector

    def check(self, features: int) -> None:
        """Raise unless there are two knots or more, each with a height."""
        _require(self.column.shape == () and 0 <= int(self.column) < features)
        _require(self.knots.ndim == 1 and len(self.knots) > 1)
        _require(self.knots.shape == self.heights.shape)
        _require_floats(self.knots, self.heights)

    def log_odds(self, features: Matrix) -> Vector:
        """Interpolate between the knots; beyond them, stay at the last height."""
        values = features[:, int(self.column)].contiguous()
        right = torch.searchsorted(self.knots, values).clamp(1, len(self.knots) - 1)
        low, high = self.knots[right - 1], self.knots[right]
        share = ((values - low) / (high - low).clamp_min(1e-12)).clamp(0, 1)
        return self.heights[right - 1].lerp(self.heights[right], share)


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """A weighted sum of standardized features, as logistic regression finds it."""

    mean: Vector
    scale: Vector
    weights: Vector
    bias: torch.Tensor

    def check(self, features: int) -> None:
        """Raise unless each feature has a mean, a scale and a weight."""
        _require(self.bias.shape == ())
        for tensor in (self.mean, self.scale, self.weights):
            _require(tensor.shape == (features,))
        _require_floats(self.mean, self.scale, self.weights, self.bias)

    def log_odds(self, features: Matrix) -> Vector:
        """Return the sum."""
        parts = (features - self.mean) / self.scale * self.weights
        return (parts.sum(1, dtype=torch.float64) + self.bias).float()


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """A sum over complete binary trees, as gradient boosting finds them.

    The children of node i are 2i + 1, taken if the feature is at most the threshold, and 2i + 2.
    """

    columns: torch.Tensor  # (n_trees, n_nodes), long: the feature each node looks at
    thresholds: Matrix  # (n_trees, n_nodes)
    leaves: Matrix  # (n_trees, n_nodes + 1)
    bias: torch.Tensor

    def check(self, features: int) -> None:
        """Raise unless the trees are complete and look at features there are."""
        _require(self.bias.shape == () and self.columns.ndim == 2)
        trees, nodes = self.columns.shape
        _require(trees > 0 and nodes in (1, 3, 7, 15, 31))
        _require(self.columns.dtype == torch.long)
        _require(int(self.columns.min()) >= 0 and int(self.columns.max()) < features)
        _require(self.thresholds.shape == (trees, nodes))
        _require(self.leaves.shape == (trees, nodes + 1))
        _require_floats(self.thresholds, self.leaves, self.bias)

    def log_odds(self, features: Matrix) -> Vector:
        """Let every row fall through every tree, and add up where it lands."""
        return torch.cat([self._fall(rows) for rows in torch.split(features, _ROWS_AT_ONCE)])

    @classmethod
    def joined(cls, scorers: Sequence[TreeScorer]) -> TreeScorer:
        """Return one scorer whose log-odds are the mean of those of several."""
        return cls(
            torch.cat([scorer.columns for scorer in scorers]),
            torch.cat([scorer.thresholds for scorer in scorers]),
            torch.cat([scorer.leaves for scorer in scorers]) / len(scorers),
            torch.stack([scorer.bias for scorer in scorers]).mean(),
        )

    def _fall(self, rows: Matrix) -> Vector:
        """Strike out the leaves that a row cannot reach; the first of the others is where it lands.

        A row that goes right at a node cannot reach the leaves on the node's left. Which leaves of
        all trees a feature strikes out depends only on how many thresholds it exceeds, so it is
        looked up (as in QuickScorer, Lucchese et al., 2015).
        """
        possible: torch.Tensor | None = None
        for column, thresholds, left_over in self._struck_out:
            exceeded = torch.searchsorted(thresholds, rows[:, column].contiguous())
            these = left_over.index_select(0, exceeded)  # (n_rows, n_trees)
            possible = these if possible is None else possible.bitwise_and_(these)
        assert possible is not None  # noqa: S101 - a tree has a node
        first = (possible & -possible).float().view(torch.int32)  # 2^leaf, as a float
        leaf = (first >> 23 & 0xFF) - 127  # its exponent
        place = leaf + self._first_leaf
        landed = self.leaves.flatten().index_select(0, place.flatten()).view(place.shape)
        return (landed.sum(1, dtype=torch.float64) + self.bias).float()

    @cached_property
    def _first_leaf(self) -> torch.Tensor:
        trees, leaves = self.leaves.shape
        return torch.arange(trees, dtype=torch.int32, device=self.leaves.device) * leaves

    @cached_property
    def _struck_out(self) -> list[tuple[int, Vector, torch.Tensor]]:
        """For each feature its thresholds, and the leaves that are left when some are exceeded.

        Leaves are bits, the leftmost is the lowest. Row i of (n_thresholds + 1, n_trees) is for
        a value that exceeds the i lowest thresholds.
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
    "logistic": LinearScorer,
    "boosted": TreeScorer,
}
"""By the name of what learns them."""


@dataclass(frozen=True, eq=False)
class MeanScorer:
    """What several scorers say on average."""

    scorers: tuple[Scorer, ...]

    def log_odds(self, features: Matrix) -> Vector:
        """Return the mean of their numbers."""
        odds = torch.stack([scorer.log_odds(features) for scorer in self.scorers])
        return odds.mean(0, dtype=torch.float64).float()

    def check(self, features: int) -> None:
        """Check each of them."""
        for scorer in self.scorers:
            scorer.check(features)


def mean_of(scorers: Sequence[Scorer]) -> Scorer:
    """Return a scorer whose log-odds are the mean of those of several; trees become one forest."""
    trees = [scorer for scorer in scorers if isinstance(scorer, TreeScorer)]
    if len(trees) == len(scorers) and len({scorer.columns.shape[1] for scorer in trees}) == 1:
        return TreeScorer.joined(trees)
    return MeanScorer(tuple(scorers))


def _require_floats(*tensors: torch.Tensor) -> None:
    _require(all(tensor.dtype == torch.float32 for tensor in tensors))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("the tensors of a scorer do not fit together")
