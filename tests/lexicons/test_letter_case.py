"""Words that differ from words of a vocabulary only in case."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons.letter_case import CaseIndex, fold_case
from bilex.values import EmbeddingSpace

LETTERS = "aAiIİısSßẞσςΣéÉǆǅ\u0307"

some_words = st.text(LETTERS, min_size=1, max_size=5)


def index(*words: str) -> CaseIndex:
    return CaseIndex(EmbeddingSpace(words, torch.ones(len(words), 2)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Monday", "monday"),
        ("NATO", "Nato"),
        ("ÉCOLE", "école"),
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ", "οδοσ"),
        ("ẞ", "ß"),
        ("STRAẞE", "Straße"),
        ("İzmir", "izmir"),
        ("İzmir".lower(), "izmir"),
        ("МОСКВА", "москва"),
    ],
)
def test_words_that_differ_only_in_case_have_one_form(one: str, other: str) -> None:
    assert fold_case(one) == fold_case(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Maße", "Masse"), ("ırmak", "irmak"), ("école", "ecole"), ("οδός", "οδος")],
)
def test_words_that_differ_in_more_than_case_have_two_forms(one: str, other: str) -> None:
    assert fold_case(one) != fold_case(other)


def test_the_exact_spelling_comes_first_and_then_the_most_frequent_one() -> None:
    words = index("POLISH", "Polish", "polish")

    assert words.find("polish") == "polish"
    assert words.find("PoLish") == "POLISH"
    assert words.find("pol") is None
    assert "PoLish" in words
    assert "pol" not in words
    assert 5 not in words


def test_ss_in_capitals_may_be_a_sharp_s() -> None:
    words = index("rasse", "straße", "maße", "masse", "GROSS")

    assert words.find("STRASSE") == "straße"
    assert words.find("Strasse") is None
    assert words.find("MASSE") == "maße"  # the more frequent one
    assert words.find("Masse") == "masse"
    assert words.find("RASSE") == "rasse"
    assert words.find("groß") == "GROSS"
    assert words.find("raße") is None


TURKISH = tuple(f"ı{number}" for number in range(9))


def test_the_letters_of_a_vocabulary_decide_how_i_is_written() -> None:
    turkish = index("ılık", "ilik", "istanbul", *TURKISH)
    english = index("ılık", "ilik", *(f"i{number}" for number in range(999)))

    assert turkish.find("ILIK") == "ılık"
    assert turkish.find("İLİK") == turkish.find("I\u0307LI\u0307K") == "ilik"
    assert turkish.find("İstanbul") == "istanbul"
    assert turkish.find("Istanbul") is None
    assert english.find("ILIK") == "ilik"


@given(words=st.lists(some_words, unique=True, max_size=8), word=some_words)
def test_the_first_word_in_other_case_is_found(words: list[str], word: str) -> None:
    found = index(*words).find(word)

    dotless = any("ı" in known or "İ" in known for known in words)
    form = fold_case(word, dotless=dotless)
    alike = [
        known
        for known in words
        if fold_case(known, dotless=dotless) == form
        or _is_capital_of(word, known, dotless)
        or ("ß" in word and known == word.upper())
    ]
    assert found == (word if word in words else alike[0] if alike else None)


def _is_capital_of(word: str, known: str, dotless: bool) -> bool:
    spelled = fold_case(known, dotless=dotless).replace("ß", "ss")
    form = fold_case(word, dotless=dotless).replace("ß", "ss")
    return "SS" in word and word.isupper() and "ß" in fold_case(known) and spelled == form


@given(word=st.text(max_size=8), dotless=st.booleans())
def test_a_form_is_its_own_form(word: str, dotless: bool) -> None:
    form = fold_case(word)

    assert fold_case(form) == form
    assert fold_case(fold_case(word, dotless=dotless), dotless=dotless) == fold_case(
        word, dotless=dotless
    )


@given(word=st.text(max_size=8))
def test_what_unicode_tells_apart_is_told_apart(word: str) -> None:
    """The form is as fine as that of Unicode, but for the dot of İ."""
    assert fold_case(word).casefold() == word.casefold().replace("i\u0307", "i")


@given(words=st.lists(some_words, unique=True, max_size=8), word=some_words)
def test_all_cases_of_a_word_are_found(words: list[str], word: str) -> None:
    if "İ" in word or "ı" in word or "\u0307" in word:
        return  # Python does not know how Turkish writes them
    plain = [known for known in words if "İ" not in known and "ı" not in known]
    known = index(*plain, word)

    for variant in (word.upper(), word.lower()):
        assert variant in known
