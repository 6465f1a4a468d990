"""What an evaluation holds, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
import torch

from bilex.answers import Candidate, Translation
from bilex.errors import SettingError
from bilex.evaluation import Evaluation, Outcome, Ranker, score_rankers
from bilex.evaluation.results import SHARED_KEYS
from bilex.values import Lexicon

RANKS = {0: "0-1k", 999: "0-1k", 1_000: "1k-5k", 5_000: "5k-20k", 19_999: "5k-20k", 20_000: "20k+"}
SOURCE = {f"s{rank}": rank for rank in RANKS}
TARGET = {f"t{rank}": rank for rank in RANKS}
GOLD = Lexicon.of([(f"s{rank}", f"t{rank}") for rank in RANKS])


def right(words: Sequence[str], k: int) -> list[Translation]:
    return [Translation(word, (Candidate(f"t{word[1:]}", 1.0),)) for word in words]


def silent(words: Sequence[str], k: int) -> list[Translation]:
    return [Translation(word) for word in words]


def run(rankers: dict[str, Ranker], *, bootstrap: int = 100) -> Evaluation:
    rng = torch.Generator().manual_seed(1)
    return score_rankers(rankers, GOLD, SOURCE, TARGET, bootstrap=bootstrap, rng=rng)


def test_result_is_json_with_rankers_side_by_side() -> None:
    plain = run({"csls": right, "nearest": silent}).to_dict()

    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert list(plain) == ["csls", "nearest", *SHARED_KEYS]
    assert plain["rules"] == "vecmap"
    assert plain["leaked_pairs"] is None  # the training pairs are not known
    assert plain["csls"] == {
        "p_at_1": 1.0,
        "p_at_5": 1.0,
        "p_at_10": 1.0,
        "mrr": 1.0,
        "p_at_1_interval": [1.0, 1.0],
        "p_at_1_uncovered_as_errors": 1.0,
        "by_frequency": {
            "0-1k": all_right(2),
            "1k-5k": all_right(1),
            "5k-20k": all_right(2),
            "20k+": all_right(1),
        },
        "by_string": {"different": all_right(6)},
        # s0 and t0, s999 and t999, s1000 and t1000: 1 of 2, 3 of 4 and 4 of 5 letters
        "by_spelling": {"0.3-0.7": all_right(1), "0.7-1": all_right(5)},
        "lemma": None,
    }
    assert plain["lemmas"] is None


def all_right(n: int) -> dict[str, object]:
    return {"p_at_1": 1.0, "n": n, "p_at_1_interval": [1.0, 1.0]}


def test_outcomes_are_kept_for_each_ranker_in_the_same_order() -> None:
    outcomes = run({"csls": right, "nearest": silent}).outcomes

    assert outcomes["csls"][2] == Outcome("s1000", ("t1000",), "t1000", 1, 1_000, 0.8)
    assert outcomes["nearest"][2] == Outcome("s1000", ("t1000",), None, None, 1_000, 0.8)


def test_identical_strings_are_scored_apart() -> None:
    gold = Lexicon.of([("taxi", "taxi"), ("taxi", "voiture"), ("cat", "chat"), ("dog", "chien")])
    source, target = {"taxi": 0, "cat": 1, "dog": 2}, {"taxi": 0, "chat": 1, "chien": 2}

    def copy(words: Sequence[str], k: int) -> list[Translation]:
        return [Translation(word, (Candidate(word, 1.0),)) for word in words]

    found = score_rankers({"copy": copy}, gold, source, target, rng=torch.Generator())

    groups = found.scores["copy"].by_string
    assert (groups["identical"].p_at_1, groups["identical"].n) == (1.0, 1)
    assert (groups["different"].p_at_1, groups["different"].n) == (0.0, 2)
    assert found.scores["copy"].p_at_1 == found.copy_baseline == 1 / 3


def test_depth_is_at_most_the_target_vocabulary_and_excess_candidates_are_cut() -> None:
    def late(words: Sequence[str], k: int) -> list[Translation]:
        assert k == len(TARGET)
        filler = tuple(Candidate(f"no{i}", 1.0) for i in range(k))
        return [Translation(word, (*filler, Candidate(f"t{word[1:]}", 0.0))) for word in words]

    found = run({"csls": late})

    assert found.depth == len(TARGET)
    assert found.scores["csls"].mrr == 0


def test_primary_is_the_ranker_that_the_rules_publish() -> None:
    assert run({"nearest": silent, "csls": right}).primary.p_at_1 == 1


def test_primary_without_its_ranker_is_an_error() -> None:
    with pytest.raises(
        SettingError, match=r"primary ranker of the rules 'vecmap' is 'csls', but only nearest was"
    ):
        _ = run({"nearest": right}).primary


def test_a_ranker_that_skips_words_is_refused() -> None:
    with pytest.raises(SettingError, match="'csls' returned 5 translations for 6 words"):
        run({"csls": lambda words, k: right(words, k)[1:]})


def test_a_ranker_that_shuffles_words_is_refused() -> None:
    with pytest.raises(SettingError, match="a translation of 's20000' instead of 's0'"):
        run({"csls": lambda words, k: right(words, k)[::-1]})


def test_no_ranker_is_refused() -> None:
    with pytest.raises(SettingError, match="there are no rankers"):
        run({})


@pytest.mark.parametrize("name", SHARED_KEYS)
def test_a_ranker_cannot_take_a_key_of_the_result(name: str) -> None:
    with pytest.raises(SettingError, match=f"has the name '{name}'"):
        run({name: right})


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(SettingError, match="bootstrap is 99, expected 100"):
        run({"csls": right}, bootstrap=99)
