"""How much of a lexicon two vocabularies hold, and what is said about the rest."""

from __future__ import annotations

import gzip
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.lexicons import coverage, read_lexicon
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SpacePair


def space(words: Sequence[str]) -> EmbeddingSpace:
    return EmbeddingSpace(tuple(words), torch.ones(len(words), 2))


ENGLISH = space(["dog", "cat", "house", "New_York", "summer"])
RUSSIAN = space(["собака", "кот", "дом", "лето"])
FRENCH = space(["chien", "chat", "maison", "New_York", "été"])


def test_each_pair_is_counted_once() -> None:
    pairs = [("dog", "chien"), ("dog", "chien"), ("x", "chat"), ("cat", "x"), ("x y", "z")]
    found = coverage(Lexicon.of(pairs), ENGLISH, FRENCH)

    assert (found.pairs, found.kept, found.duplicates) == (5, 1, 1)
    assert (found.source_missing, found.target_missing, found.both_missing) == (1, 1, 1)
    assert (found.multi_word, found.source_words, found.source_words_covered) == (1, 4, 1)
    assert found.share == 0.25
    assert found.examples.source_missing == (("x", "chat"),)
    assert found.examples.target_missing == (("cat", "x"),)
    assert found.examples.both_missing == found.examples.multi_word == (("x y", "z"),)
    assert found.examples.duplicates == (("dog", "chien"),)


letters = st.sampled_from(["a", "b", "c", "A", "ж", "a b", "a_b", "é", "e\u0301"])


@given(
    pairs=st.lists(st.tuples(letters, letters), max_size=20),
    source=st.lists(letters, max_size=5),
    target=st.lists(letters, max_size=5),
)
@settings(deadline=None)
def test_the_counts_add_up_and_agree_with_what_training_sees(
    pairs: list[tuple[str, str]], source: list[str], target: list[str]
) -> None:
    lexicon, one, other = Lexicon.of(pairs), space(source), space(target)
    found = coverage(lexicon, one, other)

    lost = found.source_missing + found.target_missing + found.both_missing
    assert found.kept + lost + found.duplicates == found.pairs == len(pairs)
    assert found.kept == len(IndexedLexicon.locate(lexicon, SpacePair(one, other)))
    assert 0 <= found.share <= 1
    assert found.source_words_covered <= found.source_words == len(lexicon.translations)
    turned = coverage(lexicon.reversed(), other, one)
    assert (turned.kept, turned.source_missing) == (found.kept, found.target_missing)
    assert not lost or coverage(lexicon, one, other) == found
    assert lost or not found.hints


@pytest.mark.parametrize(
    ("pairs", "target", "hints"),
    [
        ([("dog", "chien")], FRENCH, ()),
        (
            [("Dog", "CHIEN"), ("cat", "chat")],
            FRENCH,
            ("the one lost pair would be found in lower case: lower-case the lexicon "
             "(lowercase=True, --lowercase)",),
        ),
        (
            [("chien", "dog"), ("chat", "cat"), ("maison", "x")],
            FRENCH,
            ("the columns seem to be swapped: 2 pairs fit when reversed, 0 as they are; swap the "
             "two vector files, or name the columns (--columns)",),
        ),
        (
            [("dog", "chien"), ("cat", "chat")],
            RUSSIAN,
            ("the target words are mostly in Latin script, the target vocabulary in Cyrillic: is "
             "it the right language, or does one of them need to be transliterated?",),
        ),
        (
            [("кот", "chat"), ("дом", "maison")],
            FRENCH,
            ("the source words are mostly in Cyrillic script, the source vocabulary in Latin: is "
             "it the right language, or does one of them need to be transliterated?",),
        ),
        (
            [("summer", unicodedata.normalize("NFD", "été")), ("x", "y")],
            FRENCH,
            ("1 of the 2 lost pairs would be found with composed accents: normalize the lexicon to "
             "Unicode NFC",),
        ),
        (
            [("New York", "New York")],
            FRENCH,
            ("the one lost pair would be found with underscores between the parts of a term: "
             "replace the spaces",),
        ),
        (
            [("dog", "hund"), ("cat", "katze"), ("house", "maison")],
            FRENCH,
            ("only 1 of 3 pairs have both words in the vocabularies of 5 and 5 words: load more "
             "words, or give a lexicon of more frequent words",),
        ),
        (
            [("dog", "chien"), ("cat", "chat"), ("house", "haus")],
            FRENCH,
            (),
        ),
    ],
)  # fmt: skip
def test_hints_say_what_would_bring_pairs_back(
    pairs: list[tuple[str, str]], target: EmbeddingSpace, hints: tuple[str, ...]
) -> None:
    assert coverage(Lexicon.of(pairs), ENGLISH, target).hints == hints


def test_a_vocabulary_may_be_the_one_to_change() -> None:
    german = space(["Haus", "e\u0301te\u0301", "new york"])
    found = coverage(
        Lexicon.of([("house", "haus"), ("summer", "été"), ("dog", "new_york")]), ENGLISH, german
    )

    assert found.hints == (
        "1 of the 3 lost pairs would be found with separate accents: the vocabulary seems to be "
        "in Unicode NFD, normalize one of them",
        "1 of the 3 lost pairs would be found with spaces between the parts of a term: replace "
        "the underscores",
        "1 of the 3 lost pairs would be found if the vocabularies were in lower case: lower-case "
        "the vectors too",
    )


def test_an_empty_lexicon_has_no_coverage() -> None:
    found = coverage(Lexicon(()), ENGLISH, FRENCH)

    assert (found.pairs, found.share, found.hints) == (0, 0.0, ())


def vocabulary(path: Path) -> EmbeddingSpace:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        return space([line[: line.index(" ")] for line in file])


@pytest.mark.slow
def test_the_published_test_pairs_are_covered_as_measured_elsewhere(shared_data: Path) -> None:
    english, french = (vocabulary(shared_data / f"vectors/{name}.vec.gz") for name in ("en", "fr"))
    lexicon = read_lexicon(shared_data / "dictionaries/xling/en-fr/test.tsv")

    assert coverage(lexicon, english, french).source_words_covered == 1_242
