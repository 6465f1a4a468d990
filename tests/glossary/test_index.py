"""Terms found in texts: spellings, several words, scripts without spaces, lemmas."""

from __future__ import annotations

import gzip
import random
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.glossary import Match, TermIndex
from bilex.glossary.index import LONGEST_TERM
from bilex.oov import Lemmas
from bilex.sample import sample_folder
from bilex.text.words import UNSPACED, Words


def found(terms: list[str], text: str, **options: bool) -> list[tuple[str, str, str]]:
    """Return how each match is written, its term, and how it was found."""
    index = TermIndex(terms)
    return [
        (text[match.start : match.end], terms[match.row], match.how)
        for match in index.find(text, **options)
    ]


def forms(terms: list[str], text: str) -> list[str]:
    return [form for form, _, _ in found(terms, text)]


def test_matches_have_places_in_the_text_as_given() -> None:
    index = TermIndex(["house", "hot_dog", "dog"])
    assert index.find("A hot\n dog in the House.") == [
        Match(2, 10, 1, "exact"),
        Match(18, 23, 0, "case"),
    ]
    assert len(index) == 3


@pytest.mark.parametrize("term", ["hot dog", "hot_dog", "hot-dog"])
@pytest.mark.parametrize(
    "form",
    ["hot dog", "hot_dog", "hot-dog", "hot\u00a0\t dog", "hot\r\n  dog", "hot‑dog", "hot-\n dog",
     "hot\u2028dog", "hot \u200edog"],
)  # fmt: skip
def test_words_of_a_term_are_separated_in_many_ways(term: str, form: str) -> None:
    assert found([term, "hot", "dog"], f"a {form}, b") == [(form, term, "exact")]


@pytest.mark.parametrize(
    "form", ["hot, dog", "hot. Dog", "hotdog", "hot – dog", "hot - dog", "hot--dog"]
)
def test_other_things_between_words_end_a_term(form: str) -> None:
    assert found(["hot dog"], form) == []


def test_the_longest_term_is_found_from_left_to_right() -> None:
    terms = ["a b c", "a b", "b c d e", "c", "d e"]
    assert forms(terms, "a b c d e") == ["a b c", "d e"]
    assert forms(terms, "a b x b c d") == ["a b", "c"]
    assert forms(["日本", "日本語", "語学", "学校"], "日本語学校と日本") == [
        "日本語",
        "学校",
        "日本",
    ]


def test_a_part_of_a_word_is_not_found() -> None:
    assert found(["house", "green", "日"], "greenhouse greenhouses houseboat Green日house") == [
        ("Green", "green", "case"),
        ("日", "日", "exact"),
        ("house", "house", "exact"),
    ]
    assert found(["cafe", "e"], "cafe\u0301") == []


def test_words_with_apostrophes() -> None:
    terms = ["eau", "l", "d'accord", "dog", "s", "don", "t", "o'clock", "clock", "istanbul"]
    assert forms(terms, "l’eau, D'ACCORD, the dog's, don't, don’t, 5 o‘clock, İstanbul'da") == [
        "eau", "D'ACCORD", "dog", "o‘clock", "İstanbul",
    ]  # fmt: skip
    assert forms(["don't"], "I don’t") == ["don’t"]
    assert forms(["intelligence artificielle"], "l'intelligence artificielle") == [
        "intelligence artificielle"
    ]
    # In Ukrainian, an apostrophe is inside of words.
    assert forms(["який", "м'який"], "м’який який") == ["м’який", "який"]
    assert forms(["який"], "м’який") == []


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (["café"], "cafe\u0301 CAFE\u0301", ["exact", "case"]),
        (["cafe\u0301"], "café", ["exact"]),
        (["Turkey", "turkey"], "Turkey turkey TURKEY", ["exact", "exact", "case"]),
        (["cooperate"], "co\u00adoperate", ["exact"]),
        (["straße"], "Straße STRASSE STRAẞE Strasse", ["case", "case", "case", "similar"]),
        (["strasse"], "Straße STRAẞE", []),
        (["Fuß"], "FUSS Fuss", ["case"]),
        (["ırmak", "kız"], "Irmak IRMAK KIZ irmak kiz", ["case", "case", "case"]),
        (["İzmir"], "İzmir izmir İZMİR i\u0307zmir", ["exact", "case", "case", "case"]),
        (["izmir"], "İzmir İZMİR IZMIR", ["case", "case", "case"]),
        (["σοφος"], "ΣΟΦΟΣ", ["case"]),
        (["σοφός"], "Σοφός ΣΟΦΌΣ", ["case", "case"]),
        (["が"], "か\u3099", ["exact"]),
        (["か"], "か\u3099", []),
        (["한국"], unicodedata.normalize("NFD", "한국"), ["exact"]),
    ],
)  # fmt: skip
def test_spellings(terms: list[str], text: str, expected: list[str]) -> None:
    assert [how for _, _, how in found(terms, text)] == expected


def test_masse_and_masze_are_two_words() -> None:
    terms = ["maße", "masse"]
    assert [term for _, term, _ in found(terms, "Maße Masse MASSE MAẞE")] == [
        "maße", "masse", "masse", "maße",
    ]  # fmt: skip
    assert found(["maße"], "Masse", similar=False) == []


def test_capital_i_in_a_turkish_vocabulary() -> None:
    assert [term for _, term, _ in found(["ırk", "irk"], "IRK Irk İrk")] == ["ırk", "ırk", "irk"]
    many = [*(f"word{number}" for number in range(100)), "irk", "ırk", "ısı"]
    assert [term for _, term, _ in found(many, "IRK ISI")] == ["ırk", "ısı"]
    others = [*(f"word{number}" for number in range(500)), "irk", "ırk", "ısı"]
    assert [term for _, term, _ in found(others, "IRK ISI")] == ["irk", "ısı"]


def test_scripts_without_spaces() -> None:
    assert forms(["T恤", "恤", "iphone"], "买T恤和iPhone手机") == ["T恤", "iPhone"]
    for term in ("人工知能", "人工 知能", "人工_知能"):
        assert forms([term], "私の人工知能は") == ["人工知能"]
    assert forms(["人工 知能"], "人工 知能") == ["人工 知能"]
    assert forms(["人工知能"], "人工 知能") == []
    assert forms(["ជាការ"], "ជា\u200bការ") == ["ជា\u200bការ"]


def test_a_syllable_is_not_divided() -> None:
    assert forms(["ที"], "ที่ ที") == ["ที"]
    assert forms(["กา"], "เกา กา") == ["กา"]
    assert forms(["ក"], "ក្រ ក") == ["ក"]
    assert forms(["シ", "シャツ"], "シャ シャツ シ") == ["シャツ", "シ"]
    assert forms(["コーヒ"], "コーヒー") == []


def test_marks_of_thai_in_another_order() -> None:
    # Sara u and mai tho: NFC puts the vowel first.
    assert forms(["ก\u0e38\u0e49ง"], "ก\u0e49\u0e38ง") == ["ก\u0e49\u0e38ง"]


def test_terms_with_symbols() -> None:
    terms = ["c++", "c", "u.s.", "rock & roll", ".net", "24/7 service"]
    assert forms(terms, "C++, U.S. rock  & Roll; C .NET 24/7 service") == [
        "C++", "U.S.", "rock  & Roll", "C", ".NET", "24/7 service",
    ]  # fmt: skip


def test_terms_without_a_letter_and_overlong_terms_are_not_found() -> None:
    overlong = " ".join(["ab"] * (LONGEST_TERM + 1))
    fits = " ".join(["cd"] * LONGEST_TERM)
    terms = ["", " ", "12", ".", "😀", "x" * 101, overlong, fits]
    assert found(terms, f"12 . 😀 {'x' * 101} {overlong} {fits}") == [(fits, fits, "exact")]


def test_of_equal_terms_the_first_is_found() -> None:
    assert TermIndex(["hot_dog", "hot dog", "Hot dog"]).find("HOT DOG")[0].row == 0


def test_lemmas() -> None:
    lemmas = {"mice": "mouse", "häuser": "Haus", "networks": "network", "ran": "run", "run": "run"}
    index = TermIndex(
        ["mouse", "Haus", "neural network", "mouse trap", "traps"], lemmas=Lemmas(lemmas.get)
    )
    text = "Mice, HÄUSER; neural networks. Mice traps, mice trap! ran"
    assert [(text[m.start : m.end], index.terms[m.row], m.how) for m in index.find(text)] == [
        ("Mice", "mouse", "lemma"),
        ("HÄUSER", "Haus", "lemma"),
        ("neural networks", "neural network", "lemma"),
        ("Mice", "mouse", "lemma"),
        ("traps", "traps", "exact"),
        ("mice trap", "mouse trap", "lemma"),
    ]


def test_similar_forms_are_flagged_and_can_be_left_out() -> None:
    terms = ["network", "neural network", "walk", "house"]
    text = "Networks of neural networks walked by houses"
    assert found(terms, text) == [
        ("Networks", "network", "similar"),
        ("neural networks", "neural network", "similar"),
        ("houses", "house", "similar"),
    ]
    assert found(terms, text, similar=False) == []


@pytest.mark.parametrize(
    "text", ["nets", "cat", "netze", "internet", "networking", "netwörk", "한국인은"]
)
def test_short_and_other_words_are_not_similar(text: str) -> None:
    assert found(["net", "network", "cats", "netz", "한국인"], text) == []


def sample_words(language: str) -> list[str]:
    path = sample_folder() / f"{language}.vec.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        return [line.split(" ", 1)[0] for line in lines]


@pytest.mark.parametrize("language", ["en", "es"])
def test_most_similar_forms_are_inflected_forms(language: str) -> None:
    simplemma = pytest.importorskip("simplemma")
    words = sample_words(language)
    left_out = set(random.Random(0).sample(words, len(words) // 10))
    index = TermIndex([word for word in words if word not in left_out])

    pairs = [(form, index.terms[m.row]) for form in sorted(left_out) for m in index.find(form)]
    lemmas = [[simplemma.lemmatize(word, lang=language) for word in pair] for pair in pairs]
    same = [one == other or one == pair[1] or other == pair[0]
            for pair, (one, other) in zip(pairs, lemmas, strict=True)]  # fmt: skip

    assert all(len(form) >= 5 for form, _ in pairs)
    assert len(pairs) > 0.4 * len([word for word in left_out if len(word) >= 5])
    assert sum(same) > 0.8 * len(pairs)


def test_threads_find_the_same() -> None:
    index = TermIndex(["dog", "hot dog", "日本", "networks"])
    texts = [f"Hot dog {number} 日本語 network" for number in range(200)]
    alone = [index.find(text) for text in texts]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(index.find, texts)) == alone


WORDS = st.sampled_from(["a", "b", "ab", "Ab", "ba", "é"])
TERMS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=8)


@given(TERMS, st.lists(WORDS | st.just(","), max_size=14))
def test_every_match_is_the_longest(terms: list[str], words: list[str]) -> None:
    expected, place = [], 0
    while place < len(words):
        for size in range(len(words) - place, 0, -1):
            here = " ".join(words[place : place + size])
            same = [term for term in terms if term.lower() == here.lower()]
            if same:
                best = min(same, key=lambda term: (term != here, term != here.lower()))
                how = "exact" if best == here else "case"
                expected.append((here, terms.index(best), how))
                place += size - 1
                break
        place += 1
    text = " ".join(words)

    matches = TermIndex(terms).find(text, similar=False)

    assert [(text[m.start : m.end], m.row, m.how) for m in matches] == expected


@given(
    st.lists(st.text("日本語a", min_size=1, max_size=7), max_size=8, unique=True),
    st.text("日本語。", max_size=20),
)
def test_every_match_without_spaces_is_the_longest(terms: list[str], text: str) -> None:
    expected, place = [], 0
    while place < len(text):
        here = [term for term in terms if text.startswith(term, place)]
        if here:
            expected.append((place, max(here, key=len)))
        place += len(max(here, key=len)) if here else 1

    matches = TermIndex(terms).find(text)

    assert [(match.start, terms[match.row]) for match in matches] == expected


LETTERS = "abtAİIıßẞ'’-_ \n\u0301日本のか\u3099กเ\u0e48\u0e32.,é\u00ad\u200b1²"


def plain(text: str) -> str:
    """Return a text without the differences that do not matter."""
    text = re.sub("[\u00ad\u200b\u200c-\u200f\u2060-\u2064\ufeff\u061c\u180e]", "", text)
    text = unicodedata.normalize("NFC", text.replace("’", "'").replace("‘", "'"))
    text = unicodedata.normalize("NFC", text.casefold().replace("i\u0307", "i").replace("ı", "i"))
    return re.sub(r"[\s_‐‑-]+", "", text)


def check(terms: list[str], text: str) -> None:
    """Check what is true of the matches in any text."""
    index = TermIndex(terms)
    matches = index.find(text)
    assert all(0 <= match.start < match.end <= len(text) for match in matches)
    assert all(one.end <= other.start for one, other in pairwise(matches))
    for match in matches:
        if match.how in ("exact", "case"):
            assert plain(text[match.start : match.end]) == plain(terms[match.row])
    cuts = {place for match in matches for place in (match.start, match.end)}
    for start, end in Words().places(text):
        word = text[start:end]
        if not UNSPACED.match(word) and not re.search("['‘’＇]", word):
            assert not cuts & set(range(start + 1, end))
    assert [match for match in index.find(text, similar=False) if match.how == "similar"] == []


@st.composite
def texts_and_terms(draw: st.DrawFn, letters: st.SearchStrategy[str]) -> tuple[list[str], str]:
    """Draw a text, and terms of which most are parts of it."""
    text = draw(st.text(letters, max_size=40))
    places = st.tuples(st.integers(0, len(text)), st.integers(1, 8))
    parts = [text[start : start + size] for start, size in draw(st.lists(places, max_size=6))]
    return [*parts, *draw(st.lists(st.text(letters, max_size=6), max_size=3))], text


ANY = st.characters() | st.sampled_from(LETTERS) | st.characters(categories=["M", "Cs", "Cf"])


@given(texts_and_terms(st.sampled_from(LETTERS)))
def test_laws_hold_for_difficult_letters(case: tuple[list[str], str]) -> None:
    check(*case)


@given(texts_and_terms(ANY))
@settings(max_examples=300)
def test_laws_hold_for_any_text(case: tuple[list[str], str]) -> None:
    check(*case)


@pytest.mark.slow
@given(texts_and_terms(ANY))
@settings(max_examples=12_000, deadline=None)
def test_laws_hold_for_very_many_texts(case: tuple[list[str], str]) -> None:
    check(*case)


@given(st.text("abßİIıÉé'’-_ .,+\u0301ж", max_size=12))
def test_a_term_is_found_in_itself(term: str) -> None:
    matches = TermIndex([term]).find(f"({term})")
    letters = sum(map(str.isalpha, term))
    assert len(matches) == bool(letters)
    assert all(match.how == "exact" for match in matches)


@given(
    st.permutations(["a", "b", "a b", "b c", "a b c", "日", "日本", "c's", "c-d"]),
    st.text("abcd 日本'-.", max_size=30),
)
def test_the_order_of_terms_does_not_matter(terms: list[str], text: str) -> None:
    ordered = sorted(terms)
    first, second = TermIndex(terms).find(text), TermIndex(ordered).find(text)
    assert [m._replace(row=0) for m in first] == [m._replace(row=0) for m in second]
    assert [terms[m.row] for m in first] == [ordered[m.row] for m in second]


@given(st.text("abé '-\n", max_size=30), st.text("abé '-\n", max_size=30))
def test_sentences_do_not_matter_to_each_other(first: str, second: str) -> None:
    index = TermIndex(["a", "b", "a b", "é a", "b'a", "ab"])
    shift = len(first) + 3
    shifted = [m._replace(start=m.start + shift, end=m.end + shift) for m in index.find(second)]
    assert index.find(f"{first} . {second}") == index.find(first) + shifted


@given(st.text("abé 한국かが本。ệ", max_size=30))
def test_the_unicode_form_of_the_text_does_not_matter(text: str) -> None:
    index = TermIndex(["a", "é", "abé", "한국", "が", "が本", "ệ b"])
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    one, other = index.find(composed), index.find(decomposed)
    assert [(m.row, m.how) for m in one] == [(m.row, m.how) for m in other]
    for left, right in zip(one, other, strict=True):
        same = unicodedata.normalize("NFC", decomposed[right.start : right.end])
        assert composed[left.start : left.end] == same
