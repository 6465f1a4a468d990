from __future__ import annotations

import gc
import weakref

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.spelling import (
    plain,
    scripts_compare,
    shared_prefixes,
    similarities,
    spellings,
)
from bilex.values import EmbeddingSpace
from candidates import edits

words = st.text("abcé日я", max_size=8)
plain_words = st.text("abc", min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("House", "house"),
        ("Élève", "eleve"),
        ("Straße", "strasse"),
        ("ŁÓDŹ", "lodz"),
        ("борщ", "borshch"),
        ("Москва", "moskva"),
        ("Ελλάδα", "ellada"),
        ("東京", "dongjing"),
        ("さくら", "sakura"),
        ("ガス", "gasu"),
        ("пёс", "pes"),
        ("йод", "yod"),
        ("서울", "seoul"),
        ("ﬁn", "fin"),
        ("", ""),
    ],
)
def test_words_of_any_script_become_plain_letters(word: str, expected: str) -> None:
    assert plain(word) == expected


@settings(deadline=None)
@given(st.text(max_size=10))
def test_plain_letters_are_ascii_in_lower_case_and_stay_as_they_are(word: str) -> None:
    found = plain(word)
    assert found.isascii()
    assert found == found.lower() == plain(found)


def test_words_of_a_space_are_spelled_once_and_forgotten_with_it() -> None:
    space = EmbeddingSpace(("Élan", "ёлка"), torch.eye(2))
    spelled = spellings(space)
    assert spelled == ["elan", "elka"]
    assert spellings(space) is spelled
    there = weakref.ref(space)
    del space
    gc.collect()
    assert there() is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("ab", max_size=5), st.text("ab", max_size=5)), max_size=4))
def test_similarity_is_one_minus_edits_over_the_longer_word(pairs: list[tuple[str, str]]) -> None:
    found = similarities([a for a, _ in pairs], [b for _, b in pairs]).tolist()
    expected = [1 - edits(a, b) / max(len(a), len(b), 1) for a, b in pairs]
    assert found == pytest.approx(expected)


@settings(deadline=None)
@given(words, words)
def test_similarity_laws(left: str, right: str) -> None:
    there, back, self_ = similarities([left, right, left], [right, left, left]).tolist()
    assert there == back
    assert 0 <= there <= self_ == 1
    assert (there == 1) == (left == right)
    if not set(left) & set(right) and left + right:
        assert there == 0


@settings(deadline=None)
@given(plain_words, plain_words, plain_words)
def test_shared_prefixes_count_from_the_beginning(head: str, left: str, right: str) -> None:
    common = len(head)
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        common += 1
    found = float(shared_prefixes([head + left], [head + right]))
    assert found == pytest.approx(common / (len(head) + max(len(left), len(right))))


COGNATES = [
    ("nation", "nation"),
    ("music", "musique"),
    ("animal", "animal"),
    ("doctor", "docteur"),
    ("paper", "papier"),
    ("theater", "théâtre"),
    ("minute", "minute"),
    ("house", "maison"),
]


def test_scripts_compare_where_translations_look_alike() -> None:
    assert scripts_compare(COGNATES)
    assert scripts_compare([("banana", "банан"), ("doctor", "доктор"), ("film", "фильм")])


def test_scripts_do_not_compare_where_they_do_not() -> None:
    names = ["qwe", "rtz", "uio", "pas", "dfg", "hjk", "lyx", "cvb"]
    assert not scripts_compare(
        [(source, name) for (source, _), name in zip(COGNATES, names, strict=True)]
    )
    assert not scripts_compare([])
    assert not scripts_compare(COGNATES[:1])


def test_several_translations_of_a_word_in_a_row_do_not_hide_that_scripts_compare() -> None:
    # Each word beside its own next translation looks as much alike as beside the first.
    runs = [(source, target + end) for source, target in COGNATES for end in ("", "e", "s", "es")]
    assert scripts_compare(runs)
