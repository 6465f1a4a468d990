"""Words of lines in many scripts."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.text.words import LONGEST_WORD, Words

# The boundaries of UAX #29, except that `_` separates.
LINES = {
    "Don’t stop: the well-known can't.": ["don't", "stop", "the", "well", "known", "can't"],
    "'O'Neil’s' “hello”..world U.S.A. a:b": ["o'neil's", "hello", "world", "u.s.a", "a:b"],
    "3.14 1,000 2nd h2o m² 3.a": ["2nd", "h2o", "m", "a"],
    "_stress_ snake_case": ["stress", "snake", "case"],
    "ΣΟΦΟΣ Straße ǅ": ["σοφος"[:-1] + "ς", "straße", "ǆ"],
    "हिन्दी में न्हेंदी।": ["हिन्दी", "में", "न्हेंदी"],
    "می‌خواهم نَفْس": ["می‌خواهم", "نَفْس"],
    'צה"ל אמר "שלום"': ['צה"ל', "אמר", "שלום"],
    "привет-мир! ქართული 한국어 단어": ["привет", "мир", "ქართული", "한국어", "단어"],
    "co\u00adoperate \u200fשלום\u200e": ["cooperate", "שלום"],
    "cafe\u0301 café": ["café", "café"],
    "😀 — … #": [],
}


class EveryTwo:
    """Splits runs into pairs of characters."""

    model = b"pairs"

    def split(self, run: str) -> list[str]:
        return [run[i : i + 2] for i in range(0, len(run), 2)]


@pytest.mark.parametrize("line", LINES)
def test_words_end_where_unicode_says(line: str) -> None:
    assert Words().of(line) == LINES[line]


def test_capitals_are_kept_if_wanted() -> None:
    assert Words(keep_case=True).of("The İzmir’s") == ["The", "İzmir's"]


def test_the_dot_of_a_turkish_capital_stays() -> None:
    assert Words().of("İzmir IRMAK") == ["i̇zmir", "irmak"]


def test_runs_without_spaces_are_split_and_words_around_them_found() -> None:
    found = Words(runs=EveryTwo()).of("Python是一种语言abc 7 ภาษาไทย។ខ្មែរ")
    assert found == ["python", "是一", "种语", "言", "abc", "ภา", "ษา", "ไท", "ย", "ខ្", "មែ", "រ"]


def test_a_run_without_a_splitter_is_one_word() -> None:
    assert Words().of("他说 ok。日本語のテキスト") == ["他说", "ok", "日本語のテキスト"]


def test_a_zero_width_space_separates() -> None:
    assert Words().of("ជា\u200bការ") == ["ជា", "ការ"]


def test_gaps_are_numbers_and_overlong_words() -> None:
    assert Words().with_gaps(f"a 12 {'x' * LONGEST_WORD} {'y' * (LONGEST_WORD + 1)}") == [
        "a",
        "",
        "x" * LONGEST_WORD,
        "",
    ]


@given(st.text(alphabet="aÉñ'’.:-_1² \u0301\u00ad\u200dहिन्中文ไท\"ש", max_size=30))
def test_places_of_words_are_where_they_are_written(line: str) -> None:
    words = Words(runs=EveryTwo())
    found = words.located(line)

    assert [token.word for token in found] == words.of(line)
    assert all(words.normal(line[token.start : token.end]) == token.word for token in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.text(max_size=50))
def test_a_word_is_found_again_in_itself(line: str) -> None:
    words = Words()
    for word in words.of(line):
        assert words.normal(word) == word
        assert not set(word) & set(" \t\n_")


def test_the_word_at_a_place_is_the_one_that_begins_there() -> None:
    words, line = Words(runs=EveryTwo()), "Él canta语言"
    assert words.at(line, 0) == ("él", 0, 2)
    assert words.at(line, 3) == ("canta", 3, 8)
    assert words.at(line, 2) is None
    assert words.at(line, 8) is None  # where a piece begins is known only from the whole run


def test_a_long_line_takes_linear_time() -> None:
    words = Words()
    begin = time.perf_counter()
    for line in ("a'" * 50_000, "\u0301" * 100_000, "a\u0301." * 30_000):
        words.of(line)
    assert time.perf_counter() - begin < 0.9


@given(
    st.one_of(
        st.text(st.characters(max_codepoint=127)),
        st.text("aZ09'.:_-\" \t", max_size=30),
    )
)
def test_a_line_of_ascii_has_the_words_that_it_has_beside_other_characters(line: str) -> None:
    """Lines of ASCII are split by another expression than others."""
    words = Words()

    assert words.with_gaps(line) == words.with_gaps(f"{line}\n\u2014")
    assert words.located(line) == words.located(f"{line}\n\u2014")
    assert words.places(line) == words.places(f"{line}\n\u2014")
