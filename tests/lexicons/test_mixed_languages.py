"""Noticing text of one language in the vocabulary of the other."""

from __future__ import annotations

import pytest
import torch

from bilex import EmbeddingSpace, Lexicon, LexiconInducer
from bilex.lexicons.mixed_languages import mixture_hints
from bilex.values import Entry

LETTERS = "abcdefghij"


def language(letter: str, count: int = 600) -> list[str]:
    """Return words with letters only, the most frequent first; no two languages share one."""
    numbers = (f"{number:04}" for number in range(count))
    return [letter + "".join(LETTERS[int(digit)] for digit in each) for each in numbers]


def mixed(one: list[str], other: list[str], every: int) -> list[str]:
    """Return the first language with a word of the second after every so many."""
    rest = iter(other)
    return [
        word
        for row, own in enumerate(one)
        for word in ([own, next(rest)] if row % every == 0 else [own])
    ]


def test_two_languages_give_no_hint() -> None:
    assert not list(mixture_hints(language("x"), language("y")))


def test_few_words_give_no_hint() -> None:
    assert not list(mixture_hints(language("x", 49), language("x", 49)))


@pytest.mark.parametrize("every", [2, 5])
def test_text_of_the_source_language_in_the_target_is_noticed(every: int) -> None:
    (hint,) = mixture_hints(language("x"), mixed(language("y"), language("x"), every))

    assert hint.startswith(
        "50 of the 50 most frequent source words (xaaaa, xaaab, xaaac, …) are also among the 500 "
        "most frequent target words"
    )
    assert "remove text in the source language from what the target vectors" in hint


def test_text_of_the_target_language_in_the_source_is_noticed() -> None:
    (hint,) = mixture_hints(mixed(language("y"), language("x"), 4), language("x"))

    assert "remove text in the target language from what the source vectors" in hint


def test_capitals_count_as_the_same_word_and_signs_and_numbers_do_not() -> None:
    signs = [f"{number}." for number in range(200)]
    capitals = [word.capitalize() for word in language("x")]

    assert len(list(mixture_hints(signs + capitals, language("x")))) == 2
    assert not list(mixture_hints(signs, signs))


def test_words_that_a_closely_related_language_shares_are_no_mixture() -> None:
    own, other = language("y"), language("x")
    shared = [other[row] if row % 5 else own[row] for row in range(600)]  # four of five

    assert not list(mixture_hints(other, shared))


def test_training_warns() -> None:
    source = language("x", 120)
    target = mixed(language("y", 60), source, 1)
    vectors = torch.randn(120, 8, generator=torch.Generator().manual_seed(0))
    seeds = Lexicon(tuple(map(Entry, source[:20], target[:40:2])))

    with pytest.warns(UserWarning, match="50 of the 50 most frequent source words"):
        LexiconInducer("procrustes").fit(
            EmbeddingSpace(tuple(source), vectors), EmbeddingSpace(tuple(target), vectors), seeds
        )
