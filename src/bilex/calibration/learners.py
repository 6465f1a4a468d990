"""Learners of candidate models, from the simplest to the strongest."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from bilex.calibration.logistic import fit_choice
from bilex.candidates.scorers import (
    LinearScorer,
    Scorer,
    StepScorer,
    TreeScorer,
    with_differences,
)
from bilex.values import Matrix, Vector

_DEPTH = 4
_SMALLEST_CHANCE = 1e-4
_PENALTY_OF_NONE = 1.0  # so that its worth is finite where every word has a right candidate


class Learner(Protocol):
    """Learns a scorer from features and labels."""

    @property
    def smallest(self) -> int:
        """Return the smallest number of labeled words that the learner is used with."""
        ...

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return a scorer learned from labeled candidates.

        Args:
            features: Of all candidates of each word, (n_words, k, n_features).
            right: 1 or 0 for each candidate, (n_words, k).
            names: Of the features.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Isotonic:
    """Isotonic regression: the probability never decreases with one feature."""

    smallest: int = 10
    feature: str = "margin"

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return a scorer of `feature`, or of the first feature if that one is not used."""
        from sklearn.isotonic import IsotonicRegression

        column = names.index(self.feature) if self.feature in names else 0
        found = IsotonicRegression(out_of_bounds="clip").fit(
            features[..., column].flatten().double().numpy(), right.flatten().numpy()
        )
        chances = np.clip(found.y_thresholds_, _SMALLEST_CHANCE, 1 - _SMALLEST_CHANCE)
        knots, heights = found.X_thresholds_, np.log(chances / (1 - chances))
        if len(knots) == 1:  # constant
            knots, heights = np.repeat(knots, 2), np.repeat(heights, 2)
        return StepScorer(torch.tensor(column), _tensor(knots), _tensor(heights))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listwise:
    """A softmax over the candidates of a word and "none of them", with a penalty on large weights.

    Candidates are compared with their rivals of the same word only. Logistic regression would also
    compare them with candidates of other words, which does not help to order them.
    """

    smallest: int = 20
    strength: float = 10.0  # of the penalty

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return the weighted sum of features, minus what "none of them" is worth."""
        standard, mean, scale = _standardized(features)
        alternatives = torch.nn.functional.pad(standard, (0, 1, 0, 1))  # the last one is "none"
        alternatives[:, -1, -1] = 1.0
        none = (right.sum(1, keepdim=True) == 0).double()
        chosen = torch.cat([right.double(), none], dim=1)
        penalty = alternatives.new_full((alternatives.shape[2],), self.strength)
        penalty[-1] = _PENALTY_OF_NONE
        found = fit_choice(alternatives, chosen / chosen.sum(1, keepdim=True), penalty=penalty)
        return LinearScorer(mean, scale, found[:-1].float(), -found[-1].float())


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosted:
    """Gradient boosting of small trees, which also compare a candidate with its rivals."""

    smallest: int = 100
    trees: int = 60
    rate: float = 0.1

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return the trees as tensors."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=self.trees,
            learning_rate=self.rate,
            max_depth=_DEPTH,
            max_leaf_nodes=2**_DEPTH,
            min_samples_leaf=40,
            l2_regularization=5.0,
            max_features=0.4,
            early_stopping=False,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(with_differences(features).flatten(0, 1).numpy(), right.flatten().numpy())
        return _as_tensors(model)


LEARNERS: dict[str, Learner] = {
    "isotonic": Isotonic(),
    "listwise": Listwise(),
    "boosted": Boosted(),
}
"""The learners, from the simplest to the strongest."""


def _standardized(features: Matrix) -> tuple[Matrix, Vector, Vector]:
    """Return features with mean 0 and deviation 1 in float64, and the mean and deviation."""
    rows = features.flatten(0, 1)
    mean, scale = rows.mean(0), rows.std(0).clamp_min(1e-6)
    return ((features - mean) / scale).double(), mean, scale


def _as_tensors(model: Any) -> TreeScorer:  # noqa: ANN401 - scikit-learn has no types
    """Copy the trees of a scikit-learn model to tensors, so that no pickle has to be stored."""
    trees = [stage[0].nodes for stage in model._predictors]
    nodes = 2**_DEPTH - 1
    columns = np.zeros((len(trees), nodes), dtype=np.int64)
    thresholds = np.full((len(trees), nodes), np.finfo(np.float32).max, dtype=np.float32)
    leaves = np.zeros((len(trees), nodes + 1), dtype=np.float32)
    for number, tree in enumerate(trees):
        _copy(tree, 0, 0, columns[number], thresholds[number], leaves[number])
    bias = float(np.ravel(model._baseline_prediction)[0])
    return TreeScorer(
        torch.from_numpy(columns),
        torch.from_numpy(thresholds),
        torch.from_numpy(leaves),
        torch.tensor(bias),
    )


def _copy(
    tree: Any,  # noqa: ANN401
    node: int,
    place: int,
    columns: np.ndarray[Any, Any],
    thresholds: np.ndarray[Any, Any],
    leaves: np.ndarray[Any, Any],
) -> None:
    """Copy a node to its place in a complete tree; a leaf is copied to all places below it."""
    nodes = len(columns)
    found = tree[node]
    if place >= nodes:
        leaves[place - nodes] = found["value"]
        return
    if not found["is_leaf"]:
        columns[place] = found["feature_idx"]
        thresholds[place] = _not_above(float(found["num_threshold"]))
    branches = (node, node) if found["is_leaf"] else (found["left"], found["right"])
    for branch, below in zip(branches, (2 * place + 1, 2 * place + 2), strict=True):
        _copy(tree, int(branch), below, columns, thresholds, leaves)


def _not_above(threshold: float) -> np.float32:
    """Return the largest float32 that is at most the threshold; float32 features compare alike."""
    found = np.float32(threshold)
    # As Python floats: NumPy would round the threshold before it compares.
    return found if float(found) <= threshold else np.nextafter(found, np.float32(-np.inf))


def _tensor(values: Any) -> torch.Tensor:  # noqa: ANN401
    return torch.tensor(np.asarray(values), dtype=torch.float32)
