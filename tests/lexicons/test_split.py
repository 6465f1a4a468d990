"""Holding out source words."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import EmptyLexiconError, SettingError
from bilex.lexicons import split_lexicon
from bilex.values import Lexicon


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xyz")), min_size=2, max_size=30
    ).filter(lambda pairs: len({source for source, _ in pairs}) > 1),
    share=st.floats(0.01, 0.99),
    number=st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
def test_a_split_shares_no_source_word_and_loses_no_pair(
    pairs: list[tuple[str, str]], share: float, number: int
) -> None:
    lexicon = Lexicon.of(pairs)
    split = split_lexicon(lexicon, held_out=share, rng=torch.Generator().manual_seed(number))

    assert split.kept.translations
    assert split.held_out.translations
    assert not split.kept.translations.keys() & split.held_out.translations.keys()
    assert sorted(split.kept.entries + split.held_out.entries) == sorted(lexicon.entries)
    again = split_lexicon(lexicon, held_out=share, rng=torch.Generator().manual_seed(number))
    assert again == split


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3))))
def test_reversing_twice_changes_nothing(pairs: list[tuple[str, str]]) -> None:
    assert Lexicon.of(pairs).reversed().reversed() == Lexicon.of(pairs)


def test_the_share_is_one_of_source_words() -> None:
    lexicon = Lexicon.of([(f"a{i}", f"b{j}") for i in range(10) for j in range(i + 1)])
    split = split_lexicon(lexicon, held_out=0.2, rng=torch.Generator().manual_seed(0))

    assert len(split.held_out.translations) == 2


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_outside_is_refused(share: float) -> None:
    with pytest.raises(SettingError, match=r"expected a share between 0 and 1 such as 0\.2"):
        split_lexicon(Lexicon.of([("a", "b")]), held_out=share, rng=torch.Generator())


def test_one_word_cannot_be_split() -> None:
    with pytest.raises(EmptyLexiconError, match=r"too few source words to split \(1, expected 2"):
        split_lexicon(Lexicon.of([("a", "b"), ("a", "c")]), held_out=0.5, rng=torch.Generator())
