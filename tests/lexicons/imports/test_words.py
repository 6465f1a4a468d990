"""What is removed from words, and which are left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons.entries import check_text, checked
from bilex.lexicons.imports.tally import Tally
from bilex.lexicons.imports.words import clean_label, clean_word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("koira", "koira"),
        (" hot \t dog\n", "hot dog"),
        ("-ness", "-ness"),
        ("a, b", "a, b"),
        ("no\u00a0break", "no\u00a0break"),
        ("C++", "C++"),
        ("7", "7"),
        ("l'eau", "l'eau"),
    ],
)
def test_plain_words_keep_their_text(text: str, word: str) -> None:
    tally = Tally()

    assert clean_word(text, tally) == word
    assert not tally.left_out
    assert not tally.changed


@pytest.mark.parametrize(
    "text", ["(archaic) thou", "thou (archaic)", "(a) thou (b) (c)", "thou [archaic]"]
)
def test_qualifiers_around_a_word_are_removed_and_counted(text: str) -> None:
    tally = Tally()

    assert clean_word(text, tally) == "thou"
    assert tally.changed == {"without their qualifier in parentheses": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "without a word"),
        (" \n", "without a word"),
        ("—", "without a letter or digit"),
        ("(archaic)", "with parentheses inside"),
        ("colo(u)r", "with parentheses inside"),
        ("a (b", "with parentheses inside"),
        ("[[dog]]", "with markup"),
        ("{{t|fi|koira}}", "with markup"),
        ("<b>dog</b>", "with markup"),
        ("''dog''", "with markup"),
        ("dog &amp; cat", "with markup"),
        ("a\0b", "with control characters"),
        ("\ud800", "with control characters"),
        ("a " * 11, "longer than 10 words or 200 characters"),
        ("a" * 201, "longer than 10 words or 200 characters"),
    ],
)
def test_what_is_no_word_is_left_out_and_counted(text: str, reason: str) -> None:
    tally = Tally()

    assert clean_word(text, tally) is None
    assert tally.left_out == {reason: 1}


@given(st.text())
def test_every_clean_word_can_be_written_and_is_clean(text: str) -> None:
    tally = Tally()
    word = clean_word(text, tally)

    assert (word is None) == bool(tally.left_out)
    if word is not None:
        assert checked(word, "word") == word
        assert clean_word(word, Tally()) == word


@given(st.text() | st.none() | st.integers())
def test_every_label_can_be_written(text: object) -> None:
    check_text(clean_label(text), "label")
