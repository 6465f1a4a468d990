"""Learning from labeled candidates whose true probabilities are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import pytest
import torch

from bilex.calibration import calibration_error
from bilex.calibration.calibration_error import log_loss
from bilex.calibration.labels import LabeledCandidates
from bilex.calibration.learning import SMALLEST, learn
from bilex.candidates.model import CandidateModel
from candidates import NAMES, Synthetic, synthetic

Make = Callable[..., Synthetic]


def held_out_losses(found: CandidateModel) -> dict[str, float]:
    losses = found.report["log_loss"]
    assert isinstance(losses, dict)
    return losses


def learned(labeled: LabeledCandidates) -> CandidateModel:
    found = learn(labeled, NAMES)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("words", "make"),
    [
        (60, synthetic),
        (90, partial(synthetic, similarity=2.0)),
        (400, partial(synthetic, similarity=2.0)),
        (400, partial(synthetic, both=3.0)),
    ],
)
def test_probabilities_come_true_on_fresh_words(words: int, make: Make) -> None:
    found = learned(make(words).labeled)
    fresh = make(3_000, draw=1)
    chances = found.probabilities(fresh.labeled.features)
    assert float((chances - fresh.chances).abs().mean()) < 0.09
    assert calibration_error(chances.flatten(), fresh.labeled.right.flatten()) < 0.05
    assert abs(float(chances.mean() - fresh.chances.mean())) < 0.04


def test_the_learner_with_the_smallest_held_out_loss_is_kept() -> None:
    for made in (synthetic(400, similarity=2.0), synthetic(400, both=4.0, margin=0.0)):
        found = learned(made.labeled)
        losses = held_out_losses(found)
        assert set(losses) == {"isotonic", "listwise", "boosted", "listwise+boosted"}
        assert found.learner == min(losses, key=losses.__getitem__)
    assert found.learner == "boosted"  # no sum of features knows when both must agree


def test_trees_alone_must_be_clearly_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are a little better here, by less than chance may do."""
    made = synthetic(400, both=1.0)
    losses = held_out_losses(learned(made.labeled))
    assert min(losses, key=losses.__getitem__) == "boosted"
    assert losses["listwise+boosted"] - losses["boosted"] < 0.01
    assert learned(made.labeled).learner == "listwise+boosted"


def test_two_learners_together_are_the_mean_of_both() -> None:
    labeled = synthetic(400, similarity=1.0, both=0.5).labeled
    found = learned(labeled)
    assert found.learner == "listwise+boosted"
    lines, trees = (
        torch.stack([scorer.log_odds(labeled.features) for scorer in scorers]).mean(0)
        for scorers in (found.scorers[:5], found.scorers[5:])
    )
    expected = found.calibrated((lines + trees) / 2)
    torch.testing.assert_close(found.probabilities(labeled.features), expected)


def one_answer(words: int, draw: int) -> LabeledCandidates:
    """Label candidates of words of which exactly one is right: the probabilities are a softmax."""
    rng = torch.Generator().manual_seed(draw)
    features = torch.randn(words, 6, len(NAMES), generator=rng)
    chances = (2.5 * features[..., 0]).softmax(1)
    right = torch.nn.functional.one_hot(chances.multinomial(1, generator=rng)[:, 0], 6).float()
    return LabeledCandidates(features, right, torch.arange(1.0, words + 1))


def test_a_rival_makes_a_candidate_less_probable() -> None:
    # Only one candidate of a word is right, as in most seeds, so its rivals matter.
    labeled, fresh = one_answer(500, draw=0), one_answer(3_000, draw=1)
    found = learned(labeled)
    assert found.lead + found.share > 0.1
    without = dataclasses.replace(found, lead=0.0, share=0.0)
    losses = [
        log_loss(model.probabilities(fresh.features), fresh.right) for model in (found, without)
    ]
    assert losses[0] < losses[1]
    chances = found.probabilities(fresh.features)
    best = chances.argmax(1, keepdim=True)
    first, right = chances.gather(1, best)[:, 0], fresh.right.gather(1, best)[:, 0]
    assert calibration_error(first, right) < 0.06


def test_few_words_are_left_to_simple_learners() -> None:
    assert set(held_out_losses(learned(synthetic(12).labeled))) == {"isotonic"}
    assert set(held_out_losses(learned(synthetic(50).labeled))) == {"isotonic", "listwise"}


def test_candidates_are_reordered_where_features_predict_the_label() -> None:
    found = learned(synthetic(80, margin=0.3, similarity=3.0).labeled)
    assert found.reorders
    before, after = found.report["p_at_1"], found.report["p_at_1_reordered"]
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert after > before + 0.1


def first_is_best(draw: int) -> LabeledCandidates:
    """Label the candidates of 80 words; their features are noise."""
    labeled = synthetic(80, margin=0.0, draw=draw).labeled
    right = labeled.right.clone()
    right[:, 0] = torch.ones(80).index_fill(0, torch.arange(0, 80, 4), 0.0)
    rng = torch.Generator().manual_seed(draw)
    noise = torch.randn(labeled.features.shape, generator=rng)
    return dataclasses.replace(labeled, right=right, features=noise)


@pytest.mark.parametrize("draw", range(5))
def test_candidates_stay_in_order_where_features_are_noise(draw: int) -> None:
    assert not learned(first_is_best(draw)).reorders


@pytest.mark.parametrize(
    ("won", "lost", "reorders"),
    [(2, 1, True), (6, 6, True), (6, 9, True), (2, 6, False), (6, 12, False)],
)
def test_the_order_changes_unless_a_loss_is_proven(won: int, lost: int, reorders: bool) -> None:
    # One feature says which of two candidates is right, but for a few words it is wrong.
    right = torch.tensor([1.0, 0.0]).repeat(60, 1)
    right[:won] = torch.tensor([0.0, 1.0])
    feature = right.clone()
    feature[won : won + lost] = torch.tensor([0.0, 1.0])
    features = torch.zeros(60, 2, len(NAMES))
    features[..., 1] = feature
    found = learned(LabeledCandidates(features, right, torch.arange(1.0, 61.0)))
    assert found.reorders == reorders
    assert found.report["p_at_1"] == pytest.approx((60 - won) / 60, abs=1e-4)
    assert found.report["p_at_1_reordered"] == pytest.approx((60 - lost) / 60, abs=1e-4)


def test_nothing_is_learned_from_too_few_words() -> None:
    assert learn(synthetic(SMALLEST - 1).labeled, NAMES) is None
    assert learn(synthetic(SMALLEST).labeled, NAMES) is not None


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_nothing_is_learned_where_all_are_right_or_all_wrong(label: float) -> None:
    labeled = synthetic(30).labeled
    same = dataclasses.replace(labeled, right=torch.full_like(labeled.right, label))
    assert learn(same, NAMES) is None


def test_nothing_is_learned_from_a_single_right_candidate() -> None:
    labeled = synthetic(30).labeled
    right = torch.zeros_like(labeled.right)
    right[7, 0] = 1.0  # the scorer for this word saw no right one
    assert learn(dataclasses.replace(labeled, right=right), NAMES) is None


def test_same_words_same_bytes() -> None:
    one, two = (learned(synthetic(120, similarity=1.0).labeled) for _ in range(2))
    assert one.facts() == two.facts()
    assert one.tensors().keys() == two.tensors().keys()
    assert all(torch.equal(tensor, two.tensors()[name]) for name, tensor in one.tensors().items())


def test_five_scorers_are_averaged() -> None:
    assert len(learned(synthetic(40).labeled).scorers) == 5


def test_the_report_compares_probabilities_with_labels_by_frequency() -> None:
    labeled = first_is_best(0)
    found = learned(labeled)
    bands = found.report["bands"]
    assert isinstance(bands, list)
    assert [band["words"] for band in bands] == [20] * 4
    assert [band["ranks"] for band in bands] == [[1, 20], [21, 40], [41, 60], [61, 80]]
    assert not found.reorders
    for number, band in enumerate(bands):
        right = labeled.right[20 * number : 20 * number + 20, 0].mean()
        assert band["right"] == pytest.approx(float(right), abs=1e-4)
    assert found.report["words"] == 80


def test_a_few_rare_seeds_do_not_stand_for_all_rare_words() -> None:
    # Four in five seeds are frequent and nine in ten of them right; of the rare ones, three in ten.
    ranks = torch.cat([torch.arange(1, 161), torch.linspace(1_000, 10_000, 40)])
    right = torch.zeros(200, 1)
    right[:144] = 1.0
    right[160:172] = 1.0
    features = torch.full((200, 1, len(NAMES)), 0.5)
    found = learned(LabeledCandidates(features, right, ranks))
    chance = float(found.probabilities(features[:1]))
    assert chance == pytest.approx(float(right.mean()), abs=0.02)
