"""What is copied out of scikit-learn, against scikit-learn itself."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from bilex.calibration.learners import LEARNERS, Boosted, Isotonic, Logistic
from bilex.candidates.scorers import StepScorer, TreeScorer
from bilex.values import Matrix, Vector
from candidates import NAMES, synthetic


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of the models of scikit-learn that are fitted during a test."""
    seen: list[Any] = []
    for kind in (HistGradientBoostingClassifier, IsotonicRegression, LogisticRegression):

        def watched(self: Any, *data: Any, fit: Any = kind.fit) -> Any:  # noqa: ANN401
            seen.append(self)
            return fit(self, *data)

        monkeypatch.setattr(kind, "fit", watched)
    return seen


def rows(words: int = 200, *, draw: int = 0, coarse: bool = False) -> tuple[Matrix, Vector]:
    found = synthetic(words, draw=draw, similarity=1.0).labeled
    features = found.features.flatten(0, 1)
    return (features * 4).round() / 4 if coarse else features, found.right.flatten()


@pytest.mark.parametrize("coarse", [False, True])
def test_trees_decide_as_in_scikit_learn(fitted: list[Any], coarse: bool) -> None:
    scorer = Boosted().learn(*rows(coarse=coarse), NAMES)
    assert isinstance(scorer, TreeScorer)
    fresh = rows(draw=1, coarse=coarse)[0]
    # The hard cases: values that equal a threshold, and their neighbors in float32.
    chosen = scorer.thresholds[scorer.thresholds < 1e30]
    edges = torch.cat(
        [chosen, chosen.nextafter(torch.tensor(9e9)), chosen.nextafter(torch.tensor(-9e9))]
    )
    columns = [
        edges[torch.randperm(len(edges), generator=torch.Generator().manual_seed(c))]
        for c in range(3)
    ]
    rows_to_score = torch.cat([fresh, torch.stack(columns, dim=1)])
    expected = torch.from_numpy(fitted[0].decision_function(rows_to_score.double().numpy()))
    torch.testing.assert_close(
        scorer.log_odds(rows_to_score).double(), expected, atol=1e-5, rtol=1e-5
    )


def test_weights_decide_as_in_scikit_learn() -> None:
    features, right = rows()
    fresh = rows(draw=1)[0]
    scorer = Logistic().learn(features, right, NAMES)
    seen, unseen = (
        ((each - features.mean(0)) / features.std(0)).double().numpy() for each in (features, fresh)
    )
    oracle = LogisticRegression(C=0.1, tol=1e-8).fit(seen, right.numpy())
    expected = torch.from_numpy(oracle.decision_function(unseen))
    torch.testing.assert_close(scorer.log_odds(fresh).double(), expected, atol=1e-4, rtol=1e-4)


def test_steps_are_as_high_as_in_scikit_learn_and_only_rise(fitted: list[Any]) -> None:
    features, right = rows(60)
    scorer = Isotonic().learn(features, right, NAMES)
    assert isinstance(scorer, StepScorer)
    at_knots = torch.zeros(len(scorer.knots), 3)
    at_knots[:, 0] = scorer.knots
    chances = fitted[0].predict(scorer.knots.double().numpy())
    expected = np.clip(chances, 1e-4, 1 - 1e-4)
    np.testing.assert_allclose(torch.sigmoid(scorer.log_odds(at_knots)), expected, rtol=1e-3)
    line = torch.linspace(-5, 5, 500)[:, None].expand(500, 3)
    assert bool((scorer.log_odds(line).diff() >= -1e-5).all())


def test_isotonic_takes_another_feature_where_its_own_is_switched_off() -> None:
    features, right = rows(60)
    scorer = Isotonic().learn(features[:, 1:], right, NAMES[1:])
    assert isinstance(scorer, StepScorer)
    assert int(scorer.column) == 0


@pytest.mark.parametrize("name", LEARNERS)
def test_same_input_same_bytes(name: str) -> None:
    found = [LEARNERS[name].learn(*rows(120), NAMES) for _ in range(2)]
    for field in dataclasses.fields(found[0]):  # type: ignore[arg-type]
        one, two = (getattr(scorer, field.name) for scorer in found)
        assert one.dtype == two.dtype
        assert torch.equal(one, two)


@pytest.mark.parametrize("name", LEARNERS)
def test_features_that_never_change_give_the_share_of_right_ones(name: str) -> None:
    right = torch.tensor([1.0, 0.0, 0.0, 0.0]).repeat(50)
    features = torch.full((200, 3), 2.5)
    scorer = LEARNERS[name].learn(features, right, NAMES)
    scorer.check(3)
    for value in (2.5, -7.0, 7.0):
        chance = torch.sigmoid(scorer.log_odds(torch.full((1, 3), value)))
        assert float(chance) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_learned_separates_right_from_wrong(name: str) -> None:
    scorer = LEARNERS[name].learn(*rows(), NAMES)
    features, right = rows(draw=1)
    odds = scorer.log_odds(features)
    assert float(odds[right == 1].mean()) > float(odds[right == 0].mean()) + 1
