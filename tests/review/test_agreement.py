"""Agreement of reviewers, against examples of the literature and a direct reading."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.review.agreement import Agreement, cohen_kappa, krippendorff_alpha, labels_of
from bilex.review.events import Event, Kind, Shown
from bilex.review.projection import project


def decision(
    reviewer: str, kind: Kind, *targets: str, word: str = "dog", shown: str = "abc"
) -> Event:
    return Event(
        id=f"{reviewer} {word}",
        at="2026-01-01T00:00:00.000000Z",
        reviewer=reviewer,
        word=word,
        kind=kind,
        targets=targets,
        shown=tuple(Shown(target) for target in shown),
    )


def table(counts: dict[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    return [x for x, _ in pairs], [y for _, y in pairs]


def test_kappa_of_the_grant_proposals_of_wikipedia() -> None:
    both = table({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15})
    assert cohen_kappa(*both) == pytest.approx(0.4)


def test_kappa_of_cohens_own_example() -> None:
    """Cohen (1960), table 1: proportions of 200 units, three categories, kappa 0.492."""
    proportions = {
        ("1", "1"): 88, ("1", "2"): 10, ("1", "3"): 2,
        ("2", "1"): 14, ("2", "2"): 40, ("2", "3"): 6,
        ("3", "1"): 18, ("3", "2"): 10, ("3", "3"): 12,
    }  # fmt: skip
    assert cohen_kappa(*table(proportions)) == pytest.approx(0.492, abs=0.0005)


def test_alpha_of_krippendorffs_own_example() -> None:
    """Krippendorff (2011), "Computing Krippendorff's alpha-reliability", C: alpha 0.743."""
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[None if x == "." else x for x in unit] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=0.0005)


def test_alpha_of_two_observers_without_missing_labels() -> None:
    """Krippendorff (2011), A: 14 zeros, 6 ones, 4 of 10 units differ: 1 − 19 · 4 / (14 · 6)."""
    first, second = "0100000010", "1110010000"
    assert krippendorff_alpha(list(zip(first, second, strict=True))) == pytest.approx(
        0.095, abs=0.0005
    )


def alpha_by_definition(units: list[list[str | None]]) -> Fraction | None:
    """One minus observed over expected disagreement, from all pairs of labels."""
    known = [[label for label in unit if label is not None] for unit in units]
    known = [unit for unit in known if len(unit) > 1]
    labels = [label for unit in known for label in unit]
    if len(set(labels)) < 2:
        return None
    observed = Fraction(0)
    for unit in known:
        differing = sum(x != y for x, y in permutations(unit, 2))
        observed += Fraction(differing, len(unit) - 1)
    everywhere = sum(x != y for x, y in permutations(labels, 2))
    expected = Fraction(everywhere, len(labels) - 1)
    return 1 - observed / expected


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=4), max_size=8))
def test_alpha_is_one_minus_observed_over_expected_disagreement(
    units: list[list[str | None]],
) -> None:
    expected = alpha_by_definition(units)
    found = krippendorff_alpha(units)
    assert found == (None if expected is None else pytest.approx(float(expected)))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=12))
def test_kappa_compares_with_all_pairings_of_the_two_raters(pairs: list[tuple[str, str]]) -> None:
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    found = cohen_kappa(first, second)
    if not pairs:
        assert found is None
        return
    observed = Fraction(sum(x == y for x, y in pairs), len(pairs))
    by_chance = Fraction(sum(x == y for x in first for y in second), len(pairs) ** 2)
    if by_chance == 1:
        assert found is None
    else:
        assert found == pytest.approx(float((observed - by_chance) / (1 - by_chance)))
    assert cohen_kappa(second, first) == found


def test_nothing_to_compare_has_no_agreement() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([["a"], ["b", None]]) is None
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) is None
    assert cohen_kappa("aa", "aa") is None
    with pytest.raises(SettingError, match="2 and 1 labels"):
        cohen_kappa("aa", "a")


def test_a_candidate_is_labeled_by_those_who_saw_it() -> None:
    found = labels_of(
        [
            decision("ann", "accept", "a", "own"),
            decision("bob", "none", shown="ab"),
            decision("eve", "not-entry", shown="c"),
        ]
    )
    assert found == {
        "a": {"ann": True, "bob": False},
        "b": {"ann": False, "bob": False},
        "c": {"ann": False, "eve": False},
        "own": {"ann": True},
    }


def test_agreement_counts_words_with_two_decisions() -> None:
    entries = [
        project("dog", [decision("ann", "accept", "a"), decision("bob", "accept", "a", "b")]),
        project(
            "cat",
            [decision("ann", "none", word="cat"), decision("bob", "accept", "a", word="cat")],
        ),
        project("cow", [decision("ann", "none", word="cow")]),
    ]
    found = Agreement.of(entries)
    assert (found.words, found.agreed, found.candidates) == (2, 1, 6)
    ann, bob = [True, False, False, False, False, False], [True, True, False, True, False, False]
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.candidates) == ("ann", "bob", 6)
    assert pair.kappa == pytest.approx(cohen_kappa(ann, bob))
    assert found.alpha == pytest.approx(krippendorff_alpha(list(zip(ann, bob, strict=True))))
    assert Agreement.of([]) == Agreement(words=0, agreed=0, candidates=0, alpha=None, pairs=())
