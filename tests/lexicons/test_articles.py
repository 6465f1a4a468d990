"""Words with articles and particles, which vocabularies do not hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex.lexicons import read_lexicon, without_articles
from bilex.lexicons.articles import Shortened, without_article
from bilex.values import EmbeddingSpace, Lexicon

WORDS = {"symbole", "go", "Hund", "eau", "homme", "laver", "kirja", "σπίτι", "Wasser", "book"}


def space(*words: str) -> EmbeddingSpace:
    return EmbeddingSpace(words, torch.ones(len(words), 2))


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("le symbole", "symbole"),
        ("Le symbole", "symbole"),
        ("to go", "go"),
        ("der Hund", "Hund"),
        ("Hund, der", "Hund"),
        ("l'eau", "eau"),
        ("l’eau", "eau"),
        ("L'homme", "homme"),
        ("se laver", "laver"),
        ("το σπίτι", "σπίτι"),
        ("das Wasser", "Wasser"),
        ("le temps", None),
        ("my book", None),
        ("book of the", None),
        ("a", None),
        ("l'", None),
        ("", None),
    ],
)
def test_a_word_is_looked_up_without_its_article(word: str, found: str | None) -> None:
    assert without_article(word, WORDS) == found


def test_words_in_the_vocabulary_stay() -> None:
    lexicon = Lexicon.of([("to go", "le symbole"), ("dog", "chien")])
    matched, found = without_articles(lexicon, space("to go", "go"), space("le symbole", "symbole"))

    assert matched is lexicon
    assert found == Shortened()


def test_what_was_shortened_is_counted() -> None:
    lexicon = Lexicon.of([("to go", "aller"), ("to go", "partir"), ("the sea", "la mer")])
    matched, found = without_articles(lexicon, space("go", "sea"), space("aller", "mer"))

    assert [entry[:2] for entry in matched.entries] == [
        ("go", "aller"),
        ("go", "partir"),
        ("sea", "mer"),
    ]
    assert found.describe() == (
        "3 words are used without article or particle (to go → go, the sea → sea, la mer → mer)"
    )
    assert Shortened(1, (("a dog", "dog"),)).describe() == (
        "1 word is used without article or particle (a dog → dog)"
    )


def test_the_arabic_article_is_a_prefix_where_most_words_have_it() -> None:
    words = space("كلب", "بيت")
    whole = Lexicon.of([("dog", "الكلب"), ("house", "البيت")])
    matched, found = without_articles(whole, space("dog", "house"), words)
    assert [entry.target for entry in matched.entries] == ["كلب", "بيت"]
    assert found.words == 2

    few = Lexicon.of([("dog", "الكلب"), *[("x", "شيء")] * 3])
    assert without_articles(few, space("dog"), words)[1].words == 0


def test_the_list_of_people_is_matched() -> None:
    path = Path(__file__).parent / "people" / "files" / "articles.csv"
    lexicon = read_lexicon(path)
    english = space("symbol", "go", "water", "house", "dog", "wash")
    french = space("symbole", "aller", "eau", "maison", "chien", "laver")
    matched, found = without_articles(lexicon, english, french)

    assert [entry[:2] for entry in matched.entries] == list(
        zip(english.words, french.words, strict=True)
    )
    assert found.words == 10
    assert matched.report is lexicon.report
