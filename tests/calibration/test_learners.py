"""What is copied out of scikit-learn, against scikit-learn itself."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression

from bilex.calibration.learners import LEARNERS, Boosted, Isotonic, Listwise
from bilex.candidates.scorers import LinearScorer, StepScorer, TreeScorer
from bilex.values import Matrix
from candidates import NAMES, synthetic


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of the models of scikit-learn that are fitted during a test."""
    seen: list[Any] = []
    for kind in (HistGradientBoostingClassifier, IsotonicRegression):

        def watched(self: Any, *data: Any, fit: Any = kind.fit) -> Any:  # noqa: ANN401
            seen.append(self)
            return fit(self, *data)

        monkeypatch.setattr(kind, "fit", watched)
    return seen


def labeled(words: int = 200, *, draw: int = 0, coarse: bool = False) -> tuple[Matrix, Matrix]:
    found = synthetic(words, draw=draw, similarity=1.0).labeled
    return (found.features * 4).round() / 4 if coarse else found.features, found.right


@pytest.mark.parametrize("coarse", [False, True])
def test_trees_decide_as_in_scikit_learn(fitted: list[Any], coarse: bool) -> None:
    scorer = Boosted().learn(*labeled(coarse=coarse), NAMES)
    assert isinstance(scorer, TreeScorer)
    fresh = labeled(draw=1, coarse=coarse)[0]
    # The hard cases: values that equal a threshold, and their neighbors in float32.
    chosen = scorer.thresholds[scorer.thresholds < 1e30]
    edges = torch.cat(
        [chosen, chosen.nextafter(torch.tensor(9e9)), chosen.nextafter(torch.tensor(-9e9))]
    )
    columns = [
        edges[torch.randperm(len(edges), generator=torch.Generator().manual_seed(c))]
        for c in range(3)
    ]
    # Candidates without rivals: the differences are 0, and the features decide.
    alone = torch.stack(columns, dim=1)[:, None]
    for features in (fresh, alone):
        mean = features.double().mean(1, keepdim=True).float()
        values = torch.cat([features, features - mean], dim=2).flatten(0, 1)
        expected = torch.from_numpy(fitted[0].decision_function(values.double().numpy()))
        found = scorer.log_odds(features).flatten().double()
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_trees_compare_the_candidates_of_a_word() -> None:
    """Which candidate is right says only its difference to the others of its word."""
    rng = torch.Generator().manual_seed(3)
    own = torch.randn(400, 8, 3, generator=rng)
    features = own + 20 * torch.randn(400, 1, 3, generator=rng)  # words differ more
    right = (own[..., 0] == own[..., 0].amax(1, keepdim=True)).float()
    scorer = Boosted().learn(features[:300], right[:300], NAMES)
    best = scorer.log_odds(features[300:]).argmax(1, keepdim=True)
    assert float(right[300:].gather(1, best).mean()) > 0.6  # 0.125 by chance


def test_weights_are_those_of_a_softmax_over_candidates_and_none() -> None:
    features, right = labeled()
    scorer = Listwise(strength=3.0).learn(features, right, NAMES)
    assert isinstance(scorer, LinearScorer)
    flat = features.flatten(0, 1)
    standard = ((features - flat.mean(0)) / flat.std(0)).double().numpy()
    none = (right.sum(1) == 0).double().numpy()

    def loss(found: Any) -> float:  # noqa: ANN401
        worth = np.concatenate([standard @ found[:3], np.full((200, 1), found[3])], axis=1)
        chances = worth - logsumexp(worth, axis=1, keepdims=True)
        chosen = np.concatenate([right.double().numpy(), none[:, None]], axis=1)
        fit = (chosen / chosen.sum(1, keepdims=True) * chances).sum()
        return float(-fit + 1.5 * (found[:3] ** 2).sum() + 0.5 * found[3] ** 2)

    best = minimize(loss, np.zeros(4), tol=1e-10).x
    np.testing.assert_allclose(scorer.weights, best[:3], atol=1e-3)
    assert float(scorer.bias) == pytest.approx(-best[3], abs=1e-3)


def test_where_every_word_has_a_right_candidate_its_worth_stays_finite() -> None:
    right = torch.tensor([1.0, 0.0, 0.0, 0.0]).repeat(50, 1)
    scorer = Listwise().learn(torch.full((50, 4, 3), 2.5), right, NAMES)
    odds = scorer.log_odds(torch.full((1, 1, 3), 2.5))
    assert bool(odds.isfinite().all())
    assert float(odds) > 0


def test_steps_are_as_high_as_in_scikit_learn_and_only_rise(fitted: list[Any]) -> None:
    features, right = labeled(60)
    scorer = Isotonic().learn(features, right, NAMES)
    assert isinstance(scorer, StepScorer)
    at_knots = torch.zeros(1, len(scorer.knots), 3)
    at_knots[0, :, 0] = scorer.knots
    chances = fitted[0].predict(scorer.knots.double().numpy())
    expected = np.clip(chances, 1e-4, 1 - 1e-4)
    np.testing.assert_allclose(torch.sigmoid(scorer.log_odds(at_knots)[0]), expected, rtol=1e-3)
    line = torch.linspace(-5, 5, 500)[None, :, None].expand(1, 500, 3)
    assert bool((scorer.log_odds(line).diff() >= -1e-5).all())


def test_isotonic_takes_another_feature_where_its_own_is_switched_off() -> None:
    features, right = labeled(60)
    scorer = Isotonic().learn(features[..., 1:], right, NAMES[1:])
    assert isinstance(scorer, StepScorer)
    assert int(scorer.column) == 0


@pytest.mark.parametrize("name", LEARNERS)
def test_same_input_same_bytes(name: str) -> None:
    found = [LEARNERS[name].learn(*labeled(120), NAMES) for _ in range(2)]
    for field in dataclasses.fields(found[0]):  # type: ignore[arg-type]
        one, two = (getattr(scorer, field.name) for scorer in found)
        assert one.dtype == two.dtype
        assert torch.equal(one, two)


@pytest.mark.parametrize("name", sorted(LEARNERS.keys() - {"listwise"}))
def test_features_that_never_change_give_the_share_of_right_ones(name: str) -> None:
    right = torch.tensor([1.0, 0.0, 0.0, 0.0]).repeat(50, 1)
    features = torch.full((50, 4, 3), 2.5)
    scorer = LEARNERS[name].learn(features, right, NAMES)
    scorer.check(3)
    for value in (2.5, -7.0, 7.0):
        chance = torch.sigmoid(scorer.log_odds(torch.full((1, 1, 3), value)))
        assert float(chance) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_learned_separates_right_from_wrong(name: str) -> None:
    scorer = LEARNERS[name].learn(*labeled(), NAMES)
    features, right = labeled(draw=1)
    odds = scorer.log_odds(features)
    assert float(odds[right == 1].mean()) > float(odds[right == 0].mean()) + 1
