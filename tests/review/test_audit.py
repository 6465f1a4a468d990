"""The audit: its interval covers the truth, and the queue cannot bias it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bilex.errors import SettingError
from bilex.review.audit import Audit, looked_at, precision_interval
from bilex.review.correction import Correction
from bilex.review.events import Event, Kind, Reason, Shown
from bilex.review.project import Project, ReviewItem, ReviewWord
from bilex.review.projection import project
from bilex.review.queue import QueueFeatures, Value

NOW = "2026-01-01T00:00:00.000000Z"


def decision(
    word: str,
    kind: Kind,
    *targets: str,
    reviewer: str = "ann",
    reason: Reason = "audit",
    model: str = "m",
    chance: float | None = 0.8,
) -> Event:
    return Event(
        id=f"{reviewer} {word} {kind}",
        at=NOW,
        reviewer=reviewer,
        word=word,
        kind=kind,
        targets=targets,
        shown=(Shown("right", chance), Shown("other", 0.1)),
        reason=reason,
        model=model,
    )


def item(word: str, *events: Event) -> ReviewItem:
    return ReviewItem(word=ReviewWord(word=word, rank=0), entry=project(word, events))


@pytest.mark.parametrize("truth", [0.02, 0.3, 0.62, 0.9, 0.97, 1.0])
@pytest.mark.parametrize(("sample", "population"), [(20, 400), (60, 400), (200, 400), (150, None)])
def test_the_interval_covers_the_truth(truth: float, sample: int, population: int | None) -> None:
    rng = np.random.default_rng([sample, int(100 * truth)])
    size = population or 200_000
    right = round(truth * size)
    drawn = rng.hypergeometric(right, size - right, sample, size=2_000)
    covered = 0
    for count, times in Counter(drawn.tolist()).items():
        low, high = precision_interval(count, sample, population=population)
        covered += times * (low <= right / size <= high)
    assert covered / len(drawn) >= 0.94  # 95 % are guaranteed; the rest is chance


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_without_a_population_it_is_the_interval_of_clopper_and_pearson(
    counts: tuple[int, int],
) -> None:
    right, words = counts
    expected = stats.binomtest(right, words).proportion_ci(0.95, method="exact")
    assert precision_interval(right, words) == pytest.approx((expected.low, expected.high))


@given(
    st.integers(1, 30).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.integers(0, size).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
        )
    )
)
def test_the_finite_interval_keeps_what_no_tail_excludes(
    numbers: tuple[int, tuple[int, int]],
) -> None:
    population, (words, right) = numbers
    kept = [
        total
        for total in range(population + 1)
        if stats.hypergeom.sf(right - 1, population, total, words) > 0.025
        and stats.hypergeom.cdf(right, population, total, words) > 0.025
    ]
    low, high = precision_interval(right, words, population=population)
    assert (low, high) == (
        (0.0, 1.0) if not words else (kept[0] / population, kept[-1] / population)
    )
    assert 0 <= low <= (right / words if words else 0) <= high <= 1


def test_a_larger_part_of_the_words_makes_the_interval_shorter_and_all_make_it_a_point() -> None:
    sizes = [100_000, 1_000, 200, 120, 100]
    widths = []
    for population in sizes:
        low, high = precision_interval(80, 100, population=population)
        widths.append(high - low)
    assert all(wider > narrower for wider, narrower in pairwise(widths))
    assert precision_interval(80, 100, population=100) == (0.8, 0.8)
    assert precision_interval(0, 0, population=100) == (0.0, 1.0)


@pytest.mark.parametrize(("right", "words", "population"), [(3, 2, None), (-1, 2, 5), (3, 6, 5)])
def test_impossible_counts_are_refused(right: int, words: int, population: int | None) -> None:
    with pytest.raises(SettingError, match="expected right ≤ sample ≤ population"):
        precision_interval(right, words, population=population)


def test_first_candidates_are_right_if_they_were_accepted() -> None:
    sample = [
        item("a", decision("a", "accept", "right")),
        item("b", decision("b", "accept", "other")),
        item("c", decision("c", "none")),
        item("d", decision("d", "not-entry")),
        item("e", decision("e", "skip")),
        item("f", decision("f", "accept", "right"), decision("f", "none", reviewer="bob")),
    ]
    found = Audit.of(sample, population=50)
    assert (found.right, found.words, found.undecided) == (1, 4, 2)
    assert found.precision == 0.25
    assert (found.low, found.high) == precision_interval(1, 4, population=50)
    assert found.believed == pytest.approx(0.8)
    assert Audit.of([], population=50).precision is None


def test_an_audit_says_what_was_believed_of_each_word_and_what_is_true() -> None:
    sample = [
        item("a", decision("a", "accept", "right", chance=0.9)),
        item("b", decision("b", "skip")),
        item("c", decision("c", "none", chance=None)),
        item("d", decision("d", "none", chance=0.6)),
    ]
    found = Audit.of(sample, population=50)
    assert found.outcomes == ((0.9, True), (None, False), (0.6, False))
    assert found.believed is None
    assert found.correction(fewest=3) is None  # only two have a probability
    assert found.correction(fewest=2) == Correction()  # too few to learn from
    assert Audit.of([], population=50).correction(fewest=0) is None


def test_an_audit_corrects_probabilities_that_are_too_high() -> None:
    words = [
        item(
            str(number),
            decision(str(number), *(("accept", "right") if number % 10 < 7 else ("none",))),
        )
        for number in range(300)
    ]
    found = Audit.of(words, population=None).correction()
    assert found is not None
    assert found.apply(np.array([0.8])) == pytest.approx(0.7, abs=0.02)
    assert Audit.of(words[:49], population=None).correction() is None


def test_a_word_that_nobody_looked_at_alone_ends_the_sample() -> None:
    good = item("a", decision("a", "accept", "right"))
    for reason in ("batch", "import"):
        batch = item("b", decision("b", "accept", "right", reason=reason))
        assert looked_at([good, batch, good]) == [good]
        found = Audit.of([good, batch, good], population=None)
        assert found.words == 1
    both = item(
        "c",
        decision("c", "accept", "right", reason="batch"),
        decision("c", "none", reviewer="bob", reason="second"),
    )
    assert looked_at([both, item("d"), good]) == [both]
    assert looked_at([good, good]) == [good, good]


def test_words_that_were_decided_with_another_model_are_not_counted() -> None:
    old = item("a", decision("a", "accept", "right", model="old"))
    new = item("b", decision("b", "none", model="new", chance=None))
    without = item("c", replace(decision("c", "none", model="new"), shown=()))
    found = Audit.of([old, new, without], population=None, model="new")
    assert (found.right, found.words, found.believed) == (0, 1, None)
    assert Audit.of([old, new], population=None).words == 2


def test_words_of_the_queue_do_not_bias_the_audit() -> None:
    """The queue asks the most doubtful words, the audit goes through the random order."""
    rng = np.random.default_rng(5)
    size, rounds = 300, 600
    naive, found, covered = [], [], 0
    for _ in range(rounds):
        chances = rng.beta(2, 1, size=size)
        right = rng.random(size) < chances
        lots = rng.random(size)
        features = QueueFeatures(ranks=np.arange(size), probabilities=chances[:, None], lots=lots)
        order = np.argsort(lots)
        queue = np.argsort(-Value().priorities(features))
        decided = np.zeros(size, dtype=bool)
        decided[queue[:120]] = True
        for word in order[~decided[order]][:30]:  # the audit asks what is still open
            decided[word] = True
        open_places = np.flatnonzero(~decided[order])
        sample = order[: open_places[0] if len(open_places) else size]
        truth = right.mean()
        found.append(right[sample].mean() - truth)
        naive.append(right[decided].mean() - truth)
        low, high = precision_interval(int(right[sample].sum()), len(sample), population=size)
        covered += low <= truth <= high
    error = np.std(found) / np.sqrt(rounds)
    assert abs(np.mean(found)) < 3 * error < 0.01
    assert np.mean(naive) < -0.1  # all decided words together look much worse than the model is
    assert covered / rounds >= 0.93


def test_the_order_of_a_project_is_random_enough_for_an_audit() -> None:
    """Whatever the words are, the first hundred of the order are a fair sample of them."""
    words = [f"word{number}" for number in range(1_000)]
    covered = 0
    for seed in range(100):
        order = Project(seed=seed).order
        first = sorted(range(len(words)), key=lambda row: order(words[row]))[:100]
        right = sum(row % 10 < 7 for row in first)  # 70 % of all words are right
        low, high = precision_interval(right, 100, population=len(words))
        covered += low <= 0.7 <= high
    assert covered >= 93
