from __future__ import annotations

import math

import pytest

from bilex.candidates.answering import answers_by_ranking, translate
from bilex.candidates.ranking import Ranking
from bilex.errors import SettingError
from bilex.oov import AnyCase, Vocabulary
from bilex.values import Compute, Normalization
from candidates import known_direction, linear_model

SIZE = 40


@pytest.mark.parametrize("known", [True, False])
def test_a_word_outside_the_vocabulary_counts_as_the_rarest(known: bool) -> None:
    direction = known_direction(SIZE).direction
    model = linear_model(("frequency_difference",), weight=1.0)
    answers = answers_by_ranking(Ranking(direction, model, 5, Compute()), 5)
    vectors = direction.source.space.vectors[2:3]
    found = (answers.known(["s2"]) if known else answers.other(["s2"], vectors))[0]
    rank = 3 if known else SIZE
    for candidate in found:
        difference = math.log(rank) - math.log(direction.target.space.index[candidate.word] + 1)
        expected = 1 / (1 + math.exp(1 - difference))
        assert candidate.probability == pytest.approx(expected, abs=1e-5)


def test_a_word_that_stands_for_a_known_one_has_its_candidates() -> None:
    direction = known_direction(SIZE).direction
    model = linear_model(("frequency_difference",), weight=1.0)
    answers = answers_by_ranking(Ranking(direction, model, 5, Compute()), 5)
    vocabulary = Vocabulary(direction.source.space, Normalization(()), (AnyCase(),))
    as_written, other_case = translate(["s2", "S2"], vocabulary, answers)
    assert other_case.how == "case"
    assert other_case.candidates == as_written.candidates


def test_without_a_model_candidates_come_by_score() -> None:
    direction = known_direction(SIZE).direction
    found = answers_by_ranking(Ranking(direction, None, 20, Compute()), 3).known(["s2", "s4"])
    for candidates in found:
        assert len(candidates) == 3
        assert all(candidate.probability is None for candidate in candidates)
        scores = [candidate.score for candidate in candidates]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("reorders", [False, True])
def test_only_candidates_within_the_depth_change_places(reorders: bool) -> None:
    direction = known_direction(SIZE).direction
    words = direction.source.space.words
    # The worse the score, the more probable: the order within the depth is reversed.
    model = linear_model(("csls",), weight=-6.0, reorders=reorders)
    scored, ranked = (
        answers_by_ranking(Ranking(direction, one, 4, Compute()), 9).known(words)
        for one in (None, model)
    )
    for by_score, found in zip(scored, ranked, strict=True):
        names = [candidate.word for candidate in by_score]
        expected = names[3::-1] + names[4:] if reorders else names
        assert [candidate.word for candidate in found] == expected
        has_probability = [candidate.probability is not None for candidate in found]
        assert has_probability == [True] * 4 + [False] * 5


def test_k_below_1_is_an_error() -> None:
    direction = known_direction(5).direction
    for model in (None, linear_model()):
        with pytest.raises(SettingError, match="k is 0: give 1 or more candidates"):
            answers_by_ranking(Ranking(direction, model, 5, Compute()), 0)
