"""Writing lexicons and reading them back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.errors import LexiconFileError
from bilex.lexicons import read_lexicon, write_lexicon
from bilex.values import Entry, Lexicon

SUFFIXES = (".tsv", ".csv", ".jsonl", ".tsv.gz", ".csv.gz", ".jsonl.gz")

words = st.one_of(
    st.text(
        st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(
        ['"', "{", "<html", "source", "target", "\ufeffa", "a,b", "a;b", "1", "\u2028"]
    ),
).filter(lambda word: word == word.strip(" "))
weights = st.floats(min_value=1e-300, allow_infinity=False)
provenances = st.one_of(st.just(""), words)
lexicons = st.builds(
    lambda entries: Lexicon(tuple(entries)),
    st.lists(
        st.one_of(
            st.builds(Entry, words, words, st.just(1.0), st.just("")),
            st.builds(Entry, words, words, weights, provenances),
        ),
        min_size=1,
        max_size=6,
    ),
)


@given(lexicon=lexicons, suffix=st.sampled_from(SUFFIXES))
@settings(deadline=None, max_examples=100)
@example(Lexicon.of([("source", "target"), ("a", "b")]), ".tsv")
@example(Lexicon.of([("\ufeff", "\ufeff")]), ".csv")
@example(Lexicon.of([('{"source":"a","target":"b"}', "c")]), ".csv")
@example(Lexicon.of([("five", "5"), ("a;b", "c;d")]), ".csv")
@example(Lexicon((Entry("a", "b", 0.5), Entry("c", "d", 2.0))), ".tsv")
@example(Lexicon.of([("version https://git-lfs", "a")]), ".tsv")
def test_reading_what_was_written_gives_the_same_lexicon(lexicon: Lexicon, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"lexicon{suffix}"
        write_lexicon(lexicon, path)

        assert read_lexicon(path) == lexicon


def test_bare_pairs_have_no_header(tmp_path: Path) -> None:
    write_lexicon(Lexicon.of([("dog", "chien")]), tmp_path / "a.tsv")

    assert (tmp_path / "a.tsv").read_bytes() == b"dog\tchien\n"


def test_weights_and_provenances_come_with_a_header(tmp_path: Path) -> None:
    write_lexicon(Lexicon((Entry("a", "b, c", 0.5), Entry("d", "e", 1, "me"))), tmp_path / "a.csv")

    assert (tmp_path / "a.csv").read_text() == (
        'source,target,weight,provenance\na,"b, c",0.5,\nd,e,1,me\n'
    )


def test_json_keeps_letters_readable(tmp_path: Path) -> None:
    write_lexicon(Lexicon((Entry("dog", "собака", 1.0, "me"),)), str(tmp_path / "a.jsonl"))

    assert (tmp_path / "a.jsonl").read_text("utf-8") == (
        '{"source": "dog", "target": "собака", "provenance": "me"}\n'
    )


def test_the_same_lexicon_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        write_lexicon(Lexicon.of([("dog", "chien")]), tmp_path / name)

    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()


def test_an_empty_lexicon_is_written_but_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    write_lexicon(Lexicon(()), path)

    assert path.read_text() == "source\ttarget\n"
    with pytest.raises(LexiconFileError, match="found a header line but no word pair below it"):
        read_lexicon(path)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry("", "b"), "the source word is empty: fill it in or delete the row"),
        (Entry("a", "b\tc"), r"the target 'b\tc' holds a tab, which no lexicon file can keep"),
        (Entry("a\n", "b"), r"the source 'a\n' holds a line break, which no lexicon file can keep"),
        (Entry("a", "b "), "the target 'b ' starts or ends with a space: remove it"),
        (
            Entry("a", "\ud800"),
            r"the target '\ud800' holds half of a character (a lone surrogate), which no lexicon "
            "file can keep",
        ),
        (
            Entry("a", "b", 1.0, "x\ry"),
            r"the provenance 'x\ry' holds a carriage return, which no lexicon file can keep",
        ),
        (Entry("a", "b", float("nan")), "the weight is nan, expected a finite number above 0"),
        (Entry("a", "b", 0.0), "the weight is 0.0, expected a finite number above 0"),
    ],
)
@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".jsonl"])
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, entry: Entry, message: str, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    with pytest.raises(LexiconFileError) as caught:
        write_lexicon(Lexicon((Entry("x", "y"), entry)), path)

    assert str(caught.value) == f"{path}: entry 2 cannot be written: {message}"
    assert not list(tmp_path.iterdir())


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LexiconFileError) as caught:
        write_lexicon(Lexicon.of([("a", "b")]), tmp_path / "a.xlsx")

    assert caught.value.problem == (
        "the name ends in '.xlsx', expected one of .csv, .jsonl, .tsv (or the same with .gz)"
    )
