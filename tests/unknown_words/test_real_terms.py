"""Terms of several words on real vectors: what is joined, composed and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex import LexiconInducer, load_embeddings, read_lexicon
from bilex.unknown_words import AnyCase, Composition, Lemmas, Speller

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def inducer(shared_data: Path) -> LexiconInducer:
    english, french = (
        load_embeddings(shared_data / f"vectors/{name}.vec.gz").space for name in ("en", "fr")
    )
    seeds = read_lexicon(shared_data / "dictionaries/xling/en-fr/train.5k.tsv").lexicon
    return LexiconInducer("procrustes").fit(english, french, seeds)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("carte de crédit", "credit_card"),
        ("pomme de terre", "potato"),
        ("chemin de fer", "railroad"),
        ("salle de bain", "bathroom"),
        ("changement climatique", "climate_change"),
    ],
)
def test_french_terms_are_composed_to_their_english_words(
    inducer: LexiconInducer, term: str, expected: str
) -> None:
    found = inducer.translate([term], k=1, reverse=True, spellers=[Composition()])[0]
    assert (found.how, found.candidates[0].word) == ("composed", expected)
    assert inducer.translate([term], reverse=True)[0].how == "unknown"


def test_every_phrase_of_the_vocabulary_is_found_with_blanks_instead(
    inducer: LexiconInducer,
) -> None:
    phrases = [word for word in inducer.source_.words if "_" in word.strip("_")]
    spaced = [phrase.replace("_", " ") for phrase in phrases]
    direct = inducer.translate(phrases, k=1)
    found = inducer.translate(spaced, k=1, spellers=[Composition()])
    joined = [(a, b) for a, b in zip(direct, found, strict=True) if b.how == "joined"]
    assert len(joined) > 0.99 * len(phrases)
    assert all(b.parts == (a.word,) for a, b in joined)
    assert all(a.candidates[0].word == b.candidates[0].word for a, b in joined)


def test_the_unknown_word_of_a_term_is_named(inducer: LexiconInducer) -> None:
    found = inducer.translate(["bank of england"], spellers=[Composition()])[0]
    assert (found.how, found.missing) == ("unknown", ("of", "england"))


def test_lemmas_and_case_lead_to_the_known_word(inducer: LexiconInducer) -> None:
    chain: list[Speller] = [Lemmas({"housez": "house"}.get), AnyCase()]
    plain, *found = inducer.translate(["house", "HOUSE", "Housez"], k=3, spellers=chain)
    assert [answer.how for answer in found] == ["case", "case"]
    assert all(answer.parts == ("house",) for answer in found)
    assert all(
        [c.word for c in answer.candidates] == [c.word for c in plain.candidates]
        for answer in found
    )
