"""Scores by the spelling similarity of source word and gold translation."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bilex.answers import Candidate, Translation
from bilex.evaluation import Evaluation, score_rankers
from bilex.evaluation.intervals import percentile_intervals, resampled_means
from bilex.evaluation.spelling import SPELLING_BANDS, gold_similarities, spelling_band
from bilex.values import Lexicon

ANSWERS = {"minister": "ministre", "night": "chien", "dog": "chien", "house": "casa"}
GOLD = Lexicon.of(
    [
        ("minister", "ministre"),
        ("minister", "chef"),
        ("night", "nuit"),
        ("dog", "chien"),
        ("house", "maison"),
    ]
)


def run(gold: Lexicon, rules: str = "vecmap") -> Evaluation:
    def rank(words: Sequence[str], k: int) -> list[Translation]:
        return [Translation(word, (Candidate(ANSWERS[word], 1.0),)) for word in words]

    def none(words: Sequence[str], k: int) -> list[Translation]:
        return [Translation(word) for word in words]

    source = {entry.source: row for row, entry in enumerate(gold.entries)}
    target = {entry.target: row for row, entry in enumerate(gold.entries)}
    rankers = {"csls": rank, "none": none}
    return score_rankers(rankers, gold, source, target, rules=rules, rng=torch.Generator())


def edit_distance(one: str, other: str) -> int:
    previous = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, theirs in enumerate(other, start=1):
            replaced = previous[column - 1] + (letter != theirs)
            current.append(min(previous[column] + 1, current[-1] + 1, replaced))
        previous = current
    return previous[-1]


words = st.text("abc", min_size=1, max_size=12)


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), max_size=5))
def test_similarity_is_that_of_the_most_similar_gold_word(
    cases: list[tuple[str, list[str]]],
) -> None:
    found = gold_similarities([word for word, _ in cases], [gold for _, gold in cases])

    for similarity, (word, gold) in zip(found, cases, strict=True):
        distances = [edit_distance(word, other) / max(len(word), len(other)) for other in gold]
        assert similarity == pytest.approx(1 - min(distances), abs=1e-4)


def test_accents_case_and_script_do_not_count() -> None:
    found = gold_similarities(["eleve", "Moskva", "борщ"], [["Élève"], ["москва"], ["borshch"]])

    assert found == [1, 1, 1]


@pytest.mark.parametrize(
    ("word", "gold", "band"),
    [
        ("abcdefghij", "abcdefgxyz", "0.7-1"),  # 7 of 10 letters, which float32 rounds down
        ("abcdefghij", "abcdefwxyz", "0.3-0.7"),
        ("abcdefghij", "abcqrstxyz", "0.3-0.7"),  # 3 of 10
        ("abcdefghij", "abpqrstxyz", "0-0.3"),
        ("abc", "abc", "0.7-1"),
        ("abc", "xyz", "0-0.3"),
    ],
)
def test_a_band_has_its_lower_edge(word: str, gold: str, band: str) -> None:
    assert spelling_band(gold_similarities([word], [[gold]])[0]) == band


def test_every_ranking_is_scored_in_every_band() -> None:
    found = run(GOLD)

    # minister-ministre 6 of 8, night-nuit 2 of 5, dog-chien 0 of 5, house-maison 1 of 6
    scored = {
        name: {band: (share.p_at_1, share.n) for band, share in scores.by_spelling.items()}
        for name, scores in found.scores.items()
    }
    assert scored == {
        "csls": {"0-0.3": (1 / 2, 2), "0.3-0.7": (0, 1), "0.7-1": (1, 1)},
        "none": {"0-0.3": (0, 2), "0.3-0.7": (0, 1), "0.7-1": (0, 1)},
    }
    half = found.scores["csls"].by_spelling["0-0.3"]
    assert half.p_at_1_interval == (0, 1)


def test_a_pair_is_judged_by_its_own_translation() -> None:
    found = run(GOLD, "xling")

    outcomes = {outcome.gold: outcome.similarity for outcome in found.outcomes["csls"]}
    assert outcomes["ministre",] == 0.75
    assert outcomes["chef",] == 0.125
    assert found.scores["csls"].by_spelling["0-0.3"].n == 3


def test_empty_bands_are_left_out() -> None:
    found = run(Lexicon.of([("dog", "chien")]))

    assert list(found.scores["csls"].by_spelling) == ["0-0.3"]
    assert SPELLING_BANDS == ("0-0.3", "0.3-0.7", "0.7-1")


def test_bands_do_not_move_the_interval_of_all_units() -> None:
    found = run(GOLD)

    right = torch.tensor([[outcome.rank == 1 for outcome in found.outcomes["csls"]]])
    (drawn_first,) = percentile_intervals(resampled_means(right, 1000, torch.Generator()))
    assert found.scores["csls"].p_at_1_interval == drawn_first


def test_a_data_frame_has_a_column_for_each_band() -> None:
    pytest.importorskip("pandas")

    frame = run(GOLD).to_pandas()

    assert list(frame["p_at_1_spelling_0.7-1"]) == [1, 0]
