"""What training gives away about a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.lexicons import leakage, read_lexicon, without_leaks
from bilex.values import Lexicon

TRAIN = Lexicon.of([("a", "x"), ("b", "y"), ("c", "z"), ("d", "v")])
TEST = Lexicon.of([("a", "x"), ("a", "x"), ("b", "w"), ("e", "z"), ("f", "u")])


def test_pairs_and_words_are_counted_once() -> None:
    found = leakage(TRAIN, TEST)

    assert (found.test_pairs, found.shared_pairs, found.shared_pairs_share) == (4, 1, 0.25)
    assert (found.test_source_words, found.seen_source_words) == (4, 2)
    assert (found.test_target_words, found.seen_target_words) == (4, 2)
    assert found.seen_source_words_share == found.seen_target_words_share == 0.5
    assert found.examples == (("a", "x"),)


def test_words_that_differ_only_in_case_are_the_same() -> None:
    seeds = Lexicon.of([("Monday", "Lundi"), ("May", "mai")])
    test = Lexicon.of([("monday", "lundi"), ("MONDAY", "LUNDI"), ("may", "pouvoir")])
    found = leakage(seeds, test)

    assert (found.test_pairs, found.shared_pairs, found.seen_source_words) == (2, 1, 2)
    assert found.examples == (("monday", "lundi"),)
    assert without_leaks(seeds, test) == Lexicon(())
    assert without_leaks(seeds, test, any_case=False) == seeds


def test_an_empty_test_leaks_nothing() -> None:
    found = leakage(TRAIN, Lexicon(()))

    assert found.shared_pairs_share == found.seen_source_words_share == 0.0


def test_source_words_of_the_test_leave_the_training() -> None:
    clean = without_leaks(TRAIN, TEST)

    assert clean == Lexicon.of([("c", "z"), ("d", "v")])
    assert leakage(clean, TEST).seen_source_words == 0


@pytest.mark.parametrize("pair", ["en-fi", "en-fr", "en-ru", "en-tr"])
def test_english_pairs_of_xling_are_clean(shared_data: Path, pair: str) -> None:
    folder = shared_data / "dictionaries" / "xling" / pair
    train, test = (read_lexicon(folder / f"{name}.tsv") for name in ("train.5k", "test"))

    assert leakage(train, test).seen_source_words == 0
    assert without_leaks(train, test) == train


@pytest.mark.parametrize("pair", ["fi-fr", "fi-ru", "ru-fr", "tr-fi", "tr-fr", "tr-ru"])
def test_other_pairs_of_xling_leak_a_twentieth(shared_data: Path, pair: str) -> None:
    folder = shared_data / "dictionaries" / "xling" / pair
    train, test = (read_lexicon(folder / f"{name}.tsv") for name in ("train.5k", "test"))
    found = leakage(train, test)

    # 5.1 % to 5.7 % of the pairs are the same with their case
    assert 0.052 < found.shared_pairs_share < 0.061
    assert 0.15 < found.seen_source_words_share < 0.22
    assert leakage(without_leaks(train, test), test).shared_pairs == 0
