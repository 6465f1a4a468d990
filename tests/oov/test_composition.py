from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.oov import AnyCase, Composition, Lemmas, ResolvedWord, Subwords, Vocabulary
from bilex.values import EmbeddingSpace, Normalization, Vector

known = st.sampled_from(("of", "house", "dog", "hot", "Paris", "NATO"))


class Letters:
    """Gives every word the same vector."""

    def vector(self, word: str) -> Vector:
        return torch.tensor([0.0, 0.0, 0.0, 0.0, 3.0])


def composed(vocabulary: Vocabulary, term: str, composition: Composition | None = None) -> Vector:
    found = replace(vocabulary, resolvers=(composition or Composition(),)).resolve(term)
    assert found.vector is not None
    return found.vector


@pytest.mark.parametrize(
    ("term", "word"),
    [
        ("new york", "new_york"),
        ("new-york", "new_york"),
        ("post office", "post-office"),
        ("post_office", "post-office"),
        ("web site", "website"),
        ("  web \t site ", "website"),
    ],
)
def test_a_term_that_the_vocabulary_writes_otherwise_is_that_word(
    vocabulary: Vocabulary, term: str, word: str
) -> None:
    found = replace(vocabulary, resolvers=(Composition(),)).resolve(term)
    assert (found.how, found.parts) == ("joined", (word,))
    assert found.vector is not None
    assert found.vector.equal(vocabulary.space.vectors[vocabulary.space.index[word]])


def test_joined_terms_and_parts_may_be_found_by_other_resolvers(vocabulary: Vocabulary) -> None:
    chain = (Lemmas({"dogs": "dog"}.get), AnyCase(), Composition())
    able = replace(vocabulary, resolvers=chain)
    assert able.resolve("New York").parts == ("new_york",)
    found = able.resolve("Hot dogs")
    assert (found.how, found.parts) == ("composed", ("hot", "dog"))


@settings(deadline=None)
@given(words=st.lists(known, min_size=2, max_size=5), joint=st.sampled_from((" ", "_", "-", "  ")))
def test_a_composed_vector_is_as_long_as_its_parts_whatever_their_order(
    vocabulary: Vocabulary, words: list[str], joint: str
) -> None:
    found = replace(vocabulary, resolvers=(Composition(),)).resolve(joint.join(words))
    assert (found.how, found.parts, found.missing) == ("composed", tuple(words), ())
    assert found.vector is not None
    assert float(torch.linalg.vector_norm(found.vector)) == pytest.approx(1, abs=1e-5)
    again = composed(vocabulary, " ".join(reversed(words)))
    torch.testing.assert_close(again, found.vector, atol=1e-5, rtol=0)


@settings(deadline=None)
@given(word=known, times=st.integers(2, 4))
def test_a_word_said_twice_means_the_same(vocabulary: Vocabulary, word: str, times: int) -> None:
    expected = vocabulary.space.vectors[vocabulary.space.index[word]]
    torch.testing.assert_close(composed(vocabulary, " ".join([word] * times)), expected)


def test_frequent_words_count_less_by_the_published_formula() -> None:
    size = 1000
    space = EmbeddingSpace(tuple(f"w{i}" for i in range(size)), torch.eye(size))
    vocabulary = Vocabulary(space, Normalization())
    found = composed(vocabulary, "w0 w99")
    harmonic = math.log(size) + 0.5772
    frequent, rare = (1e-3 / (1e-3 + 1 / (rank * harmonic)) for rank in (1, 100))
    assert float(found[0] / found[99]) == pytest.approx(frequent / rare, rel=1e-4)
    plain = composed(vocabulary, "w0 w99", Composition(smoothing=1e6))
    assert float(plain[0]) == pytest.approx(float(plain[99]))


def test_a_term_with_an_unknown_word_is_refused_by_its_name(vocabulary: Vocabulary) -> None:
    able = replace(vocabulary, resolvers=(AnyCase(), Composition()))
    found = able.resolve("hot gnu of gnat gnu")
    assert (found.how, found.vector, found.missing) == ("unknown", None, ("gnu", "gnat"))


def test_words_after_an_apostrophe_count_if_the_whole_is_unknown() -> None:
    words = ("médaille", "d'", "or", "l'été")
    vocabulary = Vocabulary(EmbeddingSpace(words, torch.eye(4)), Normalization(), (Composition(),))
    assert vocabulary.resolve("médaille d'or").parts == ("médaille", "d'", "or")
    assert vocabulary.resolve("or l'été").parts == ("or", "l'été")
    assert vocabulary.resolve("médaille d'argent").missing == ("d'argent",)


def test_subwords_resolve_parts_but_no_term_with_blanks(vocabulary: Vocabulary) -> None:
    subwords = Subwords(Letters())
    assert replace(vocabulary, resolvers=(subwords,)).resolve("hot gnu").vector is None
    for chain in ((subwords, Composition()), (Composition(), subwords)):
        found = replace(vocabulary, resolvers=chain).resolve("hot gnu")
        assert (found.how, found.parts) == ("composed", ("hot", "gnu"))


def test_a_resolver_of_ones_own_may_name_parts_that_are_not_words(vocabulary: Vocabulary) -> None:
    class Own:
        def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
            return ResolvedWord("own", torch.ones(5), ("gn", "u")) if word == "gnu" else None

    found = replace(vocabulary, resolvers=(Composition(), Own())).resolve("hot gnu")
    assert (found.how, found.parts) == ("composed", ("hot", "gn", "u"))


def test_opposite_words_cancel_out_without_a_crash() -> None:
    space = EmbeddingSpace(("up", "down"), torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
    found = composed(Vocabulary(space, Normalization()), "up down", Composition(smoothing=1e9))
    assert not found.isnan().any()


@pytest.mark.parametrize("term", ["gnu", "-gnu", "_", " ", ""])
def test_a_single_word_is_not_composed(vocabulary: Vocabulary, term: str) -> None:
    assert Composition().resolve(term, vocabulary) is None


@pytest.mark.parametrize("smoothing", [0.0, -1.0, math.inf, math.nan])
def test_smoothing_must_be_a_number_above_zero(smoothing: float) -> None:
    with pytest.raises(SettingError, match="smoothing is"):
        Composition(smoothing=smoothing)
