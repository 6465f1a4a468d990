"""Feedback: probable pairs become pairs to train on."""

from __future__ import annotations

import pytest
import torch

from bilex.alignment.feedback import ConfidentPairs
from bilex.alignment.messages import LEAST_WEIGHT
from bilex.candidates.ranking import Ranking
from bilex.errors import SettingError
from bilex.values import Compute, IndexedLexicon, SpacePair
from candidates import Known, known_direction, linear_model

SIZE = 40
MODEL = linear_model(("csls",), weight=8.0)


def given(*pairs: tuple[int, int]) -> IndexedLexicon:
    ids = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
    return IndexedLexicon(ids[:, 0], ids[:, 1], torch.full((len(ids),), 2.0))


def ranking_of(known: Known, memory: int = Compute().memory) -> Ranking:
    return Ranking(known.direction, MODEL, 5, Compute(memory=memory))


def spaces_of(known: Known) -> SpacePair:
    return SpacePair(known.direction.source.space, known.direction.target.space)


def extend(
    known: Known, feedback: ConfidentPairs, lexicon: IndexedLexicon, memory: int = 2**20
) -> list[tuple[int, int]]:
    found = feedback.extend(spaces_of(known), lexicon, ranking_of(known, memory).propose)
    assert found.weights.tolist() == [2.0] * len(lexicon) + [1.0] * (len(found) - len(lexicon))
    return list(zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True))


def by_hand(known: Known, feedback: ConfidentPairs, seeds: set[int]) -> list[tuple[int, int]]:
    """Go through all words one by one, the most probable first."""
    ranked = ranking_of(known).rank(known.direction.queries(torch.arange(SIZE)), k=1)
    assert ranked.probabilities is not None
    chances, answers = ranked.probabilities[:, 0].tolist(), ranked.ids[:, 0].tolist()
    taken: list[tuple[int, int]] = []
    for word in sorted(range(SIZE), key=lambda row: -chances[row]):
        if word >= feedback.rank_limit or word in seeds or chances[word] < feedback.least:
            continue
        if answers[word] not in {answer for _, answer in taken}:
            taken.append((word, answers[word]))
    return taken[: feedback.size]


@pytest.mark.parametrize("draw", range(3))
@pytest.mark.parametrize(
    "feedback",
    [
        ConfidentPairs(),
        ConfidentPairs(least=0.0),
        ConfidentPairs(least=0.3, size=7),
        ConfidentPairs(least=0.0, rank_limit=15),
    ],
)
def test_it_adds_the_most_probable_translations(draw: int, feedback: ConfidentPairs) -> None:
    known = known_direction(SIZE, draw=draw)
    seeds = [(3, 1), (5, 2), (5, 9)]
    expected = by_hand(known, feedback, {3, 5})
    assert 0 < len(expected) < SIZE
    assert extend(known, feedback, given(*seeds)) == [*seeds, *expected]


def test_a_translation_is_added_once_for_the_word_it_is_most_probable_for() -> None:
    found = extend(known_direction(SIZE, 8), ConfidentPairs(least=0.0), given())
    answers = [answer for _, answer in found]
    assert len(answers) == len(set(answers)) == 8


def test_nothing_is_added_if_too_few_are_probable() -> None:
    known = known_direction(SIZE)
    enough = ConfidentPairs(least=0.3)
    probable = len(extend(known, enough, given()))
    assert probable >= SIZE // 10
    for size in range(1, 6):  # 4 is a tenth of the words
        found = extend(known, ConfidentPairs(least=0.3, size=size), given((0, 0), (1, 1)))
        assert len(found) == (2 + size if size >= SIZE // 10 else 2)
        alone = extend(known, ConfidentPairs(least=0.3, size=size, fewest=size), given())
        assert len(alone) == size


def test_the_given_lexicon_itself_is_returned_if_nothing_is_added() -> None:
    known, seeds = known_direction(SIZE), given((0, 0))
    found = ConfidentPairs(least=1.0).extend(spaces_of(known), seeds, ranking_of(known).propose)
    assert found is seeds


def test_pairs_may_count_by_their_probability() -> None:
    known, seeds = known_direction(SIZE), given((3, 1))
    feedback = ConfidentPairs(least=0.0, weighting="probability")
    ranking = ranking_of(known)
    found = feedback.extend(spaces_of(known), seeds, ranking.propose)
    ranked = ranking.rank(known.direction.queries(found.source_ids[1:]), k=1)
    assert ranked.probabilities is not None
    chances = ranked.probabilities[:, 0].clamp(min=LEAST_WEIGHT)
    assert found.weights[0] == 2.0
    torch.testing.assert_close(found.weights[1:], chances)
    assert chances[0] > chances[-1]


def test_memory_changes_nothing() -> None:
    known = known_direction(SIZE)
    found = [extend(known, ConfidentPairs(), given(), memory) for memory in (2**20, 2**30)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"least": 1.2}, r"feedback\.least is 1\.2: give a probability from 0 to 1"),
        ({"size": 0}, r"feedback\.size is 0"),
        ({"rank_limit": 0}, r"feedback\.rank_limit is 0"),
        ({"fewest": 0}, r"feedback\.fewest is 0"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ConfidentPairs(**settings)  # type: ignore[arg-type]
