"""Seed lexicons of a given size."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import EmptyLexiconError, SettingError
from bilex.lexicons import SampleSpec, parse_sample_spec, sample_lexicon
from bilex.values import EmbeddingSpace, Lexicon, SpacePair

SMALL = Lexicon.of([("a", "x"), ("b", "y"), ("a", "z"), ("a", "x"), ("c", "x")])

lexicons = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), min_size=1, max_size=20
).map(Lexicon.of)


def seeded(number: int) -> torch.Generator:
    return torch.Generator().manual_seed(number)


@pytest.mark.parametrize(
    ("text", "size", "kind"),
    [
        ("100 unique", 100, "unique"),
        ("1K unique", 1_000, "unique"),
        (" 5k  all ", 5_000, "all"),
        ("1.5K all", 1_500, "all"),
    ],
)
def test_sizes_are_written_as_in_papers(text: str, size: int, kind: str) -> None:
    spec = parse_sample_spec(text)

    assert (spec.size, spec.kind) == (size, kind)


@pytest.mark.parametrize(
    "text", ["", "5K", "unique", "5K most", "1.5 all", "-1 all", "1.0005K all"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="expected a number of source words and 'unique' or"):
        parse_sample_spec(text)


def test_a_specification_is_checked() -> None:
    with pytest.raises(SettingError, match="the sample size is 0, expected 1 or more"):
        parse_sample_spec("0 all")
    with pytest.raises(SettingError, match="the sample kind is 'most', expected 'unique' or 'all'"):
        SampleSpec(1, "most")  # type: ignore[arg-type]


def test_unique_takes_the_first_translation_of_the_first_words() -> None:
    assert sample_lexicon(SMALL, "2 unique") == Lexicon.of([("a", "x"), ("b", "y")])


def test_all_takes_every_distinct_translation() -> None:
    assert sample_lexicon(SMALL, SampleSpec(2, "all")) == Lexicon.of(
        [("a", "x"), ("b", "y"), ("a", "z")]
    )


def test_only_known_words_count_when_spaces_are_given() -> None:
    pair = SpacePair(
        EmbeddingSpace(("a", "b"), torch.ones(2, 2)), EmbeddingSpace(("y", "z"), torch.ones(2, 2))
    )

    assert sample_lexicon(SMALL, "2 unique", pair=pair) == Lexicon.of([("b", "y"), ("a", "z")])
    with pytest.raises(EmptyLexiconError, match="only 2 are with both words in the vocabularies"):
        sample_lexicon(SMALL, "3 unique", pair=pair)


def test_too_few_words_are_an_error() -> None:
    with pytest.raises(EmptyLexiconError) as caught:
        sample_lexicon(SMALL, "5K unique")

    assert str(caught.value) == (
        "5,000 source words requested, but only 3 are in the lexicon: "
        "request fewer or give a larger lexicon"
    )


def test_a_random_order_needs_a_generator() -> None:
    with pytest.raises(SettingError, match="a random order needs rng"):
        sample_lexicon(SMALL, "1 unique", order="random")
    with pytest.raises(SettingError, match="the order is 'best', expected 'given' or 'random'"):
        sample_lexicon(SMALL, "1 unique", order="best")  # type: ignore[arg-type]


@given(lexicon=lexicons, data=st.data(), number=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_a_sample_is_a_subset_of_the_asked_size_and_repeatable(
    lexicon: Lexicon, data: st.DataObject, number: int
) -> None:
    size = data.draw(st.integers(1, len(lexicon.translations)))
    unique = sample_lexicon(lexicon, SampleSpec(size, "unique"), rng=seeded(number), order="random")
    every = sample_lexicon(lexicon, SampleSpec(size, "all"), rng=seeded(number), order="random")

    assert len(unique) == size == len(unique.translations)
    assert set(unique.entries) <= set(every.entries) <= set(lexicon.entries)
    assert all(
        every.translations[word] == lexicon.translations[word] for word in unique.translations
    )
    again = sample_lexicon(lexicon, SampleSpec(size, "all"), rng=seeded(number), order="random")
    assert again == every


def test_random_samples_differ_by_seed() -> None:
    lexicon = Lexicon.of([(f"a{i}", f"b{i}") for i in range(100)])
    draws = {
        sample_lexicon(lexicon, "5 unique", rng=seeded(i), order="random").entries for i in range(5)
    }

    assert len(draws) == 5
