"""Scoring a trained model on test pairs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace

import pytest
import torch

import bilex
from bilex import BilexWarning, Evaluation, TrainedModel
from bilex.answers import Translation
from bilex.errors import EmptyLexiconError, SettingError
from bilex.evaluation import Ranker, evaluate, score_rankers
from bilex.evaluation.results import SHARED_KEYS
from bilex.values import EmbeddingSpace, Lexicon
from candidates import calibrated_model, noisy_twins, scored_model
from evaluations import without_intervals

GOLD = Lexicon(noisy_twins().lexicon.entries[90:])  # the model was trained on the first 90


def by_hand(
    model: TrainedModel, gold: Lexicon, *, reverse: bool = False, rules: str = "vecmap"
) -> Evaluation:
    source, target = model.source, model.target
    if reverse:
        source, target, gold = target, source, gold.reversed()
    found = score_rankers(
        model.rankers(reverse=reverse),
        gold,
        source.index,
        target.index,
        rules=rules,
        rng=torch.Generator().manual_seed(0),
    )
    return replace(found, leaked_pairs=0)


@pytest.mark.parametrize("rules", ["vecmap", "xling"])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_model_is_scored_by_all_its_rankers(reverse: bool, rules: str) -> None:
    model = calibrated_model()
    found = evaluate(model, GOLD, reverse=reverse, rules=rules)
    assert found == by_hand(model, GOLD, reverse=reverse, rules=rules)
    assert list(found.scores) == ["csls", "nearest", "calibrated"]
    assert list(found.to_dict()) == [*found.scores, *SHARED_KEYS]
    assert (found.covered, found.total, found.leaked_pairs) == (60, 60, 0)
    assert found.scores["calibrated"].p_at_1 > found.scores["csls"].p_at_1


def test_the_method_of_a_model_and_the_function_agree() -> None:
    model = scored_model()
    gold = Lexicon(model.seeds.entries[:20])
    for reverse in (False, True):
        found = model.evaluate(gold, reverse=reverse, rules="strict")
        assert found == bilex.evaluate(model, gold, reverse=reverse, rules="strict")


def test_reverse_scores_the_words_of_the_target_language() -> None:
    found = evaluate(calibrated_model(), GOLD, reverse=True)
    words = [outcome.word for outcome in found.outcomes["csls"]]
    assert words == [entry.target for entry in GOLD.entries]
    assert [outcome.gold for outcome in found.outcomes["csls"]] == [
        (entry.source,) for entry in GOLD.entries
    ]


@pytest.mark.parametrize("reverse", [False, True])
def test_test_pairs_that_were_training_pairs_give_a_warning(reverse: bool) -> None:
    gold = Lexicon(noisy_twins().lexicon.entries[80:])
    with pytest.warns(BilexWarning, match="^10 test pairs were also training pairs") as all_:
        found = evaluate(calibrated_model(), gold, reverse=reverse)
    assert found.leaked_pairs == found.to_dict()["leaked_pairs"] == 10
    assert [each.filename for each in all_] == [__file__]


def test_without_shared_pairs_there_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A known word with another translation is no shared pair.
        assert evaluate(calibrated_model(), Lexicon.of([("s1", "t2")])).leaked_pairs == 0


def test_the_random_state_moves_only_the_interval() -> None:
    model = calibrated_model()
    one, same, other = (
        evaluate(model, GOLD, bootstrap=100, random_state=state) for state in (0, 0, 1)
    )
    assert one == same
    assert one.scores["csls"].p_at_1_interval != other.scores["csls"].p_at_1_interval
    assert without_intervals(one.scores["csls"]) == without_intervals(other.scores["csls"])


def test_wrong_settings_and_useless_test_pairs_are_errors() -> None:
    model = calibrated_model()
    with pytest.raises(SettingError, match="no scoring rules are called 'vecmpa'"):
        evaluate(model, GOLD, rules="vecmpa")
    with pytest.raises(SettingError, match="bootstrap is 99"):
        evaluate(model, GOLD, bootstrap=99)
    with pytest.raises(EmptyLexiconError, match="swap the two languages"):
        evaluate(model, GOLD.reversed())


@dataclass(frozen=True)
class Silent:
    """Anything that ranks like a model can be scored, without being one."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    seeds: Lexicon = field(default_factory=lambda: Lexicon(()))

    def rankers(self, *, reverse: bool = False) -> dict[str, Ranker]:
        return {"silent": lambda words, k: [Translation(word) for word in words]}


def test_anything_that_ranks_like_a_model_is_scored() -> None:
    twins = noisy_twins()
    found = evaluate(Silent(twins.source, twins.target), GOLD)
    assert found.scores["silent"].p_at_1 == 0
    assert str(found) == "P@1 on 60 of 60 test units: silent 0.0%"


def test_scores_are_rows_of_a_data_frame() -> None:
    pytest.importorskip("pandas")
    found = evaluate(calibrated_model(), GOLD)
    frame = found.to_pandas()
    assert list(frame["ranker"]) == list(found.scores)
    assert list(frame["p_at_1"]) == [scores.p_at_1 for scores in found.scores.values()]
