"""Terms of several words on real vectors: what is joined, composed and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex import LexiconInducer, TrainedModel, load_embeddings, read_lexicon
from bilex.oov import AnyCase, Composition, Lemmas, WordResolver

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(shared_data: Path) -> TrainedModel:
    english, french = (
        load_embeddings(shared_data / f"vectors/{name}.vec.gz") for name in ("en", "fr")
    )
    seeds = read_lexicon(shared_data / "dictionaries/xling/en-fr/train.5k.tsv")
    return LexiconInducer("procrustes").fit(english, french, seeds).model_


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
    model: TrainedModel, term: str, expected: str
) -> None:
    found = model.translate([term], k=1, reverse=True, resolvers=[Composition()])[0]
    assert (found.how, found.candidates[0].word) == ("composed", expected)
    assert model.translate([term], reverse=True)[0].how == "unknown"


def test_every_phrase_of_the_vocabulary_is_found_with_blanks_instead(
    model: TrainedModel,
) -> None:
    phrases = [word for word in model.source.words if "_" in word.strip("_")]
    spaced = [phrase.replace("_", " ") for phrase in phrases]
    direct = model.translate(phrases, k=1)
    found = model.translate(spaced, k=1, resolvers=[Composition()])
    joined = [(a, b) for a, b in zip(direct, found, strict=True) if b.how == "joined"]
    assert len(joined) > 0.99 * len(phrases)
    assert all(b.parts == (a.word,) for a, b in joined)
    assert all(a.candidates[0].word == b.candidates[0].word for a, b in joined)


def test_the_unknown_word_of_a_term_is_named(model: TrainedModel) -> None:
    found = model.translate(["bank of england"], resolvers=[Composition()])[0]
    assert (found.how, found.missing) == ("unknown", ("of", "england"))


def test_lemmas_and_case_lead_to_the_known_word(model: TrainedModel) -> None:
    chain: list[WordResolver] = [Lemmas({"housez": "house"}.get), AnyCase()]
    plain, *found = model.translate(["house", "HOUSE", "Housez"], k=3, resolvers=chain)
    assert [answer.how for answer in found] == ["case", "case"]
    assert all(answer.parts == ("house",) for answer in found)
    assert all(
        [c.word for c in answer.candidates] == [c.word for c in plain.candidates]
        for answer in found
    )
