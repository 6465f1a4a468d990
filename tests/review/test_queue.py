"""Queue policies: which word is asked first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.registry import plugin_class, plugin_names
from bilex.review.events import Event, Shown
from bilex.review.project import Candidate, Project, ReviewItem, ReviewWord
from bilex.review.projection import project
from bilex.review.queue import Frequency, QueueFeatures, Random, Value, zipf


def features(*words: tuple[int, tuple[float, ...]]) -> QueueFeatures:
    width = max(len(chances) for _, chances in words)
    padded = [chances + (0.0,) * (width - len(chances)) for _, chances in words]
    return QueueFeatures(
        ranks=np.array([rank for rank, _ in words]),
        probabilities=np.array(padded),
        lots=np.linspace(1, 0, len(words), endpoint=False),
    )


def test_the_policies_are_plugins() -> None:
    assert plugin_names("review_queue") == ["frequency", "random", "value"]
    assert plugin_class("review_queue", "value") is Value


@pytest.mark.parametrize("name", plugin_names("review_queue"))
def test_a_policy_is_a_pure_function_of_each_word_alone(name: str) -> None:
    policy = plugin_class("review_queue", name)()
    project = Project(seed=3)
    words = [
        ReviewWord(word=f"w{n}", rank=n, candidates=(Candidate("a", n / 30), Candidate("b", 0.1)))
        for n in range(20)
    ]
    whole = policy.priorities(QueueFeatures.of(project, words))
    some = policy.priorities(QueueFeatures.of(project, words[5:9][::-1]))
    assert np.isfinite(whole).all()
    assert some.tolist() == whole[5:9][::-1].tolist()


def test_features_are_padded_and_unknown_probabilities_are_not_numbers() -> None:
    words = [
        ReviewWord(word="a", rank=4, candidates=(Candidate("x"), Candidate("y", 0.25))),
        ReviewWord(word="b", rank=9),
    ]
    found = QueueFeatures.of(Project(), words)
    assert found.ranks.tolist() == [4, 9]
    assert np.isnan(found.probabilities[0, 0])
    assert found.probabilities[0, 1] == 0.25
    assert found.probabilities[1].tolist() == [0, 0]
    assert found.first.tolist() == [0.5, 0]
    assert found.others.tolist() == [0.25, 0]
    assert len(QueueFeatures.of(Project(), [])) == 0


def test_lots_follow_the_random_order_of_the_project() -> None:
    project = Project(seed=8)
    words = [ReviewWord(word=f"w{n}", rank=n) for n in range(300)]
    lots = QueueFeatures.of(project, words).lots
    assert 0 <= lots.min() < 0.03
    assert 0.97 < lots.max() <= 1
    by_project = sorted(range(300), key=lambda row: project.order(words[row].word))
    order = np.argsort(-Random().priorities(QueueFeatures.of(project, words)), kind="stable")
    assert order.tolist() == by_project
    other = Random().priorities(QueueFeatures.of(Project(seed=9), words))
    assert np.argsort(-other, kind="stable").tolist() != by_project


def test_zipf_weights_fall_with_the_rank_like_word_frequencies() -> None:
    weights = zipf(range(1000))
    assert weights[0] == 1
    assert (np.diff(weights) < 0).all()
    assert weights[99] / weights[999] == pytest.approx(10, rel=0.05)


def test_frequency_asks_the_most_frequent_word_first() -> None:
    found = features((70, (0.1,)), (3, (0.99,)), (20, (0.5,)))
    assert np.argsort(-Frequency().priorities(found)).tolist() == [1, 2, 0]


def test_value_prefers_likely_errors_frequent_words_and_known_alternatives() -> None:
    value = Value().priorities
    sure, unsure = value(features((5, (0.95, 0.02)), (5, (0.4, 0.02))))
    assert unsure > sure
    frequent, rare = value(features((5, (0.4, 0.2)), (500, (0.4, 0.2))))
    assert frequent > rare
    hopeless, choice = value(features((5, (0.4, 0.0)), (5, (0.4, 0.4))))
    assert choice > hopeless
    assert value(features((0, (1.0,)))).tolist() == [0]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.lists(st.floats(0, 1), min_size=2, max_size=2).map(tuple),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_value_is_expected_corrections_by_frequency_and_expected_learning(
    words: list[tuple[int, tuple[float, ...]]],
) -> None:
    expected = [
        (1 - first) * 3.7 / (rank + 3.7) + 0.5 * min(second, 1 - first)
        for rank, (first, second) in words
    ]
    found = Value(learning=0.5).priorities(features(*words))
    assert found.tolist() == pytest.approx(expected)


def test_value_of_a_word_that_is_asked_again_is_what_it_may_gain() -> None:
    word = ReviewWord(word="the", rank=5, candidates=(Candidate("new", 0.2), Candidate("old", 0.7)))
    none = Event(
        id="1",
        at="2026-01-01T00:00:00.000000Z",
        reviewer="ann",
        word="the",
        kind="none",
        shown=(Shown("old", 0.7),),
        model="first",
    )
    again = ReviewItem(word=word, entry=project("the", [none]), again=True)
    fresh = ReviewItem(word=word, entry=project("the", []))
    found = QueueFeatures.of_items(Project(), [again, fresh])

    assert found.again.tolist() == [True, False]
    assert found.probabilities.tolist() == [[0.2, 0.0], [0.2, 0.7]]
    assert found.any_right.tolist() == pytest.approx([0.2, 0.9])
    frequency = 3.7 / 8.7
    assert Value(learning=0.5).priorities(found).tolist() == pytest.approx(
        [0.2 * frequency, 0.8 * frequency + 0.5 * 0.7]
    )
    for policy in (Frequency(), Random()):
        assert len(policy.priorities(found)) == 2


@pytest.mark.parametrize("settings", [{"learning": -1}, {"learning": float("nan")}])
def test_impossible_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        Value(**settings)


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(SettingError, match="one row for each word"):
        QueueFeatures(ranks=np.arange(3), probabilities=np.ones((2, 2)), lots=np.ones(3))
    with pytest.raises(SettingError, match="2 marks of words that are asked again"):
        QueueFeatures(
            ranks=np.arange(3),
            probabilities=np.ones((3, 2)),
            lots=np.ones(3),
            again=np.zeros(2, dtype=bool),
        )


def test_features_without_marks_are_of_words_that_are_asked_for_the_first_time() -> None:
    found = QueueFeatures(ranks=np.arange(3), probabilities=np.ones((3, 2)), lots=np.ones(3))
    assert found.again.tolist() == [False] * 3
