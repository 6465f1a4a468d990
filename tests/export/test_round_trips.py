"""What goes out comes home: nothing is lost in any format that is read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export import read_dictionary, write_dictionary
from bilex.export.xml_text import escape, unescape
from bilex.lexicons import read_lexicon
from bilex.values import Entry
from export_data import ENTRIES, FACTS, NASTY_WORDS, dictionaries, facts, words

NAMES = (
    *("a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tbx", "a.tei", "a.stardict"),
    *("a.tsv.gz", "a.csv.gz", "a.jsonl.gz", "a.tbx.gz", "a.tei.xml", "a.tei.xml.gz"),
)


@given(entries=dictionaries, about=facts, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=40)
@example([DictionaryEntry("\\u0001", "\x01")], DictionaryFacts(title="und-und"), "a.stardict")
@example([DictionaryEntry("a", "b", model="x origin=seed")], DictionaryFacts(), "a.tei")
def test_reading_what_was_written_gives_the_same_dictionary(
    entries: list[DictionaryEntry], about: DictionaryFacts, name: str
) -> None:
    assert_comes_home(entries, about, name)


@pytest.mark.slow
@given(entries=dictionaries, about=facts, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=2_000)
def test_reading_many_dictionaries_gives_the_same(
    entries: list[DictionaryEntry], about: DictionaryFacts, name: str
) -> None:
    assert_comes_home(entries, about, name)


def assert_comes_home(entries: list[DictionaryEntry], about: DictionaryFacts, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        assert write_dictionary(entries, path, about) == len(entries)

        found = read_dictionary(path)

    assert found.entries == entries
    assert found.facts == about
    assert found.notes == ()


@pytest.mark.parametrize("name", NAMES)
def test_nasty_words_survive(tmp_path: Path, name: str) -> None:
    entries = [
        DictionaryEntry(word, other, model=other)
        for word, other in zip(NASTY_WORDS, reversed(NASTY_WORDS), strict=True)
    ]
    write_dictionary(entries, tmp_path / name, FACTS)

    assert read_dictionary(tmp_path / name).entries == entries


@given(words)
def test_xml_holds_every_word(word: str) -> None:
    written = escape(word)
    for reference, character in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
        written = written.replace(f"&{reference};", character)

    assert unescape(written) == word


@given(dictionaries, st.sampled_from(["a.tsv", "a.csv", "a.jsonl", "a.tsv.gz"]))
@settings(deadline=None, max_examples=20)
def test_a_dictionary_is_a_seed_lexicon(entries: list[DictionaryEntry], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_dictionary(entries, path, DictionaryFacts())
        lexicon = read_lexicon(path).lexicon

    assert lexicon.entries == tuple(Entry(e.source, e.target, 1.0, e.origin) for e in entries)


@pytest.mark.parametrize("name", ["a.tbx", "a.tei", "a.stardict", "a.parquet"])
def test_facts_are_inside_where_there_is_room(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_dictionary(ENTRIES, path, FACTS)
    for manifest in tmp_path.rglob("*.manifest.json"):
        manifest.unlink()

    found = read_dictionary(path).facts

    kept = FACTS.manifest if name == "a.parquet" else {}
    assert found == DictionaryFacts(
        source_language="en",
        target_language="fr",
        title="English & French",
        license="CC0-1.0",
        manifest=kept,
    )
