"""What was learned of candidates, as plain tensors: features in, log-odds of being right out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from bilex.values import Matrix, Vector

_ROWS_AT_ONCE = 2_048


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

    def log_odds(self, features: Matrix) -> Vector:
        """Return the sum."""
        odds: Vector = (features - self.mean) / self.scale @ self.weights + self.bias
        return odds


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
        _require(trees > 0 and nodes > 0 and not nodes & (nodes + 1))  # 1, 3, 7, 15, …
        _require(self.columns.dtype == torch.long)
        _require(int(self.columns.min()) >= 0 and int(self.columns.max()) < features)
        _require(self.thresholds.shape == (trees, nodes))
        _require(self.leaves.shape == (trees, nodes + 1))

    def log_odds(self, features: Matrix) -> Vector:
        """Let every row fall through every tree, and add up where it lands."""
        return torch.cat([self._fall(rows) for rows in torch.split(features, _ROWS_AT_ONCE)])

    def _fall(self, rows: Matrix) -> Vector:
        trees, nodes = self.columns.shape
        values = rows.T.contiguous()  # (n_features, n_rows)
        # Every node of every tree is evaluated, then outcomes are chosen level by level: comparing
        # long rows is much quicker than following each path.
        over = [
            values.index_select(0, columns) > thresholds[:, None]
            for columns, thresholds in zip(self.columns.T, self.thresholds.T, strict=True)
        ]
        path: list[torch.Tensor] = []
        leaf = torch.zeros(trees, len(rows), dtype=torch.long, device=rows.device)
        for depth in range((nodes + 1).bit_length() - 1):
            level = over[2**depth - 1 : 2 ** (depth + 1) - 1]
            for step in path:
                half = len(level) // 2
                pairs = zip(level[:half], level[half:], strict=True)
                level = [left ^ (step & (left ^ right)) for left, right in pairs]
            path.append(level[0])
            leaf = 2 * leaf + level[0]
        return self.leaves.gather(1, leaf).sum(0) + self.bias


KINDS: Mapping[str, type[StepScorer] | type[LinearScorer] | type[TreeScorer]] = {
    "isotonic": StepScorer,
    "logistic": LinearScorer,
    "boosted": TreeScorer,
}
"""By the name of what learns them."""


def mean_log_odds(scorers: Sequence[Scorer], features: Matrix) -> Vector:
    """Return what several scorers say on average."""
    return torch.stack([scorer.log_odds(features) for scorer in scorers]).mean(0)


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("the tensors of a scorer do not fit together")
