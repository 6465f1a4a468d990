"""What every resolver of words outside the vocabulary must do."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex import LexiconInducer, TrainedModel
from bilex.answers import Translation
from bilex.oov import (
    AnyCase,
    Composition,
    Lemmas,
    ResolvedWord,
    Subwords,
    Vocabulary,
    WordResolver,
)
from bilex.values import Vector
from twins import make_twins


class Letters:
    """Spells every word, each in its own way."""

    def vector(self, word: str) -> Vector:
        return torch.randn(8, generator=torch.Generator().manual_seed(len(word)))


class Own:
    """A resolver of a user's own."""

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        return ResolvedWord("own", torch.ones(8))


RESOLVERS: dict[str, WordResolver] = {
    "lemmas": Lemmas({"s1": "s2", "t1": "t2", "gnu": "s3"}.get),
    "case": AnyCase(),
    "composition": Composition(),
    "subwords": Subwords(Letters()),
    "own": Own(),
}
words = st.sampled_from(("s1", "s2", "s30", "S1", "s1 s2", "s3_s4", "gnu", "gnu gnat", "", " "))


@pytest.fixture(scope="module")
def model() -> TrainedModel:
    twins = make_twins()
    return LexiconInducer("procrustes").fit(twins.source, twins.target, twins.lexicon).model_


@settings(deadline=None, max_examples=60)
@given(
    queries=st.lists(words, max_size=6),
    chain=st.lists(st.sampled_from(sorted(RESOLVERS)), unique=True, max_size=5),
)
def test_a_known_words_answer_is_the_same_to_the_last_bit(
    model: TrainedModel, queries: list[str], chain: list[str]
) -> None:
    plain = model.translate(queries)
    able = model.translate(queries, resolvers=[RESOLVERS[name] for name in chain])
    assert [result.word for result in able] == queries
    for before, after in zip(plain, able, strict=True):
        if before.how == "known":
            assert after == before == Translation(before.word, before.candidates)
        else:
            assert before == Translation(before.word, how="unknown")
            assert (after.how == "unknown") == (not after.candidates)


@pytest.mark.parametrize(
    ("name", "term", "how", "parts"),
    [
        ("lemmas", "gnu", "lemma", ("s3",)),
        ("case", "S2", "case", ("s2",)),
        ("composition", "s2 s3", "composed", ("s2", "s3")),
        ("subwords", "gnu", "subwords", ()),
        ("own", "gnu", "own", ()),
    ],
)
def test_an_answer_says_how_it_was_found(
    model: TrainedModel, name: str, term: str, how: str, parts: tuple[str, ...]
) -> None:
    found = model.translate([term, "s2"], resolvers=[RESOLVERS[name]])
    assert [(result.how, result.parts) for result in found] == [(how, parts), ("known", ())]
    assert all(len(result.candidates) == 5 for result in found)
