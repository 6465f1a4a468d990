"""Telling writing systems apart."""

from __future__ import annotations

import pytest

from bilex.lexicons.writing_systems import (
    dominant_script,
    script_mix,
    script_of,
    script_of_character,
    script_overlap,
)


@pytest.mark.parametrize(
    ("word", "script"),
    [
        ("dog", "Latin"),
        ("été", "Latin"),
        ("собака", "Cyrillic"),
        ("σκύλος", "Greek"),
        ("犬", "Han"),
        ("人々", "Han"),
        ("けれど", "Hiragana"),
        ("コーヒー", "Katakana"),
        ("ｶﾒﾗ", "Katakana"),
        ("ｄｏｇ", "Latin"),
        ("강아지", "Hangul"),
        ("कुत्ता", "Devanagari"),
        ("كلب", "Arabic"),
        ("כלב", "Hebrew"),
        ("ᐊᐃ", "Canadian"),
        ("สุนัข", "Thai"),
        ("𐌀𐌁", "Old Italic"),
        ("食べます", "Hiragana"),
        ("t-рубашка", "Cyrillic"),
    ],
)
def test_the_script_of_a_word_is_that_of_most_letters(word: str, script: str) -> None:
    assert script_of(word) == script


@pytest.mark.parametrize("text", ["", "1984", "…", "ʰª", "३", "🙂", "\u2028", "\ud800"])
def test_what_has_no_letters_of_a_script_has_no_script(text: str) -> None:
    assert script_of(text) is None


def test_unnamed_letters_have_no_script() -> None:
    assert script_of_character("\ue000") is None


def test_a_mix_lists_scripts_by_share() -> None:
    mix = script_mix(["кот", "пёс", "cat", "7"])

    assert mix == (("Cyrillic", 2 / 3), ("Latin", 1 / 3))
    assert dominant_script(mix) == "Cyrillic"


def test_equal_shares_are_listed_by_name() -> None:
    assert script_mix(["кот", "cat"]) == (("Cyrillic", 0.5), ("Latin", 0.5))


def test_no_letters_give_an_empty_mix_that_agrees_with_all() -> None:
    assert script_mix(["7", "!"]) == ()
    assert dominant_script(()) is None
    assert script_overlap((), (("Latin", 1.0),)) == 1.0


def test_overlap_is_what_two_mixes_share() -> None:
    one, other = script_mix(["a", "b", "я", "ю"]), script_mix(["a", "b", "c", "ю"])

    assert script_overlap(one, other) == script_overlap(other, one) == 0.75
    assert script_overlap(script_mix(["a"]), script_mix(["я"])) == 0.0
