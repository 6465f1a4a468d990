from __future__ import annotations

import math

import pytest

from bilex.candidates.answering import answer_by_ranking
from bilex.candidates.ranking import Ranking
from bilex.errors import SettingError
from bilex.values import Compute
from candidates import known_direction, linear_model

SIZE = 40


@pytest.mark.parametrize("known", [True, False])
def test_a_word_outside_the_vocabulary_counts_as_the_rarest(known: bool) -> None:
    direction = known_direction(SIZE).direction
    model = linear_model(("frequency_difference",), weight=1.0)
    answer = answer_by_ranking(Ranking(direction, model, 5, Compute()), 5)
    found = answer(["s2"], direction.source.space.vectors[2:3], known)[0]
    rank = 3 if known else SIZE
    for candidate in found:
        difference = math.log(rank) - math.log(direction.target.space.index[candidate.word] + 1)
        expected = 1 / (1 + math.exp(1 - difference))
        assert candidate.probability == pytest.approx(expected, abs=1e-5)


def test_without_a_model_candidates_come_by_score() -> None:
    direction = known_direction(SIZE).direction
    answer = answer_by_ranking(Ranking(direction, None, 20, Compute()), 3)
    found = answer(["s2", "s4"], direction.source.space.vectors[[2, 4]], True)
    for candidates in found:
        assert len(candidates) == 3
        assert all(candidate.probability is None for candidate in candidates)
        scores = [candidate.score for candidate in candidates]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("reorders", [False, True])
def test_only_candidates_within_the_depth_change_places(reorders: bool) -> None:
    direction = known_direction(SIZE).direction
    vectors = direction.source.space.vectors
    words = direction.source.space.words
    # The worse the score, the more probable: the order within the depth is reversed.
    model = linear_model(("csls",), weight=-6.0, reorders=reorders)
    scored, ranked = (
        answer_by_ranking(Ranking(direction, one, 4, Compute()), 9)(words, vectors, True)
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
            answer_by_ranking(Ranking(direction, model, 5, Compute()), 0)
