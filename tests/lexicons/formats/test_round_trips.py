"""Reading what was written gives the same dictionary, in every format that is read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.lexicons import (
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    read_lexicon,
    write_dictionary,
)
from bilex.lexicons.formats import Format, installed_formats
from bilex.lexicons.formats.xml_text import escape, unescape
from bilex.values import Entry
from export_data import ENTRIES, METADATA, NASTY_WORDS, dictionaries, metadata, words

NAMES = (
    *("a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tbx", "a.tei", "a.stardict"),
    *("a.tsv.gz", "a.csv.gz", "a.jsonl.gz", "a.tbx.gz", "a.tei.xml", "a.tei.xml.gz"),
)


@given(entries=dictionaries, about=metadata, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=40)
@example([DictionaryEntry("\\u0001", "\x01")], DictionaryMetadata(title="und-und"), "a.stardict")
@example([DictionaryEntry("a", "b", model="x origin=seed")], DictionaryMetadata(), "a.tei")
def test_reading_what_was_written_gives_the_same_dictionary(
    entries: list[DictionaryEntry], about: DictionaryMetadata, name: str
) -> None:
    assert_reads_back(entries, about, name)


@pytest.mark.slow
@given(entries=dictionaries, about=metadata, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=2_000)
def test_reading_many_dictionaries_gives_the_same(
    entries: list[DictionaryEntry], about: DictionaryMetadata, name: str
) -> None:
    assert_reads_back(entries, about, name)


def assert_reads_back(entries: list[DictionaryEntry], about: DictionaryMetadata, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        assert write_dictionary(entries, path, about) == len(entries)

        found = read_dictionary(path)

    assert list(found.entries) == entries
    assert found.metadata == about
    assert found.notes == ()


@pytest.mark.parametrize("name", NAMES)
def test_nasty_words_survive(tmp_path: Path, name: str) -> None:
    entries = [
        DictionaryEntry(word, other, model=other)
        for word, other in zip(NASTY_WORDS, reversed(NASTY_WORDS), strict=True)
    ]
    write_dictionary(entries, tmp_path / name, METADATA)

    assert list(read_dictionary(tmp_path / name)) == entries


@pytest.mark.parametrize(
    "form", [f for f in installed_formats().values() if f.is_readable and f.is_writable]
)
def test_a_format_keeps_the_fields_it_says(tmp_path: Path, form: Format) -> None:
    entry = DictionaryEntry("house", "maison", 0.93, 0.61, 1, 2, "reviewed", "css-4f")
    path = tmp_path / f"d{form.extensions[0]}"
    write_dictionary([entry], path, METADATA)

    [found] = read_dictionary(path)

    unknown = DictionaryEntry("", "", origin="seed")
    assert found.to_dict() == {
        name: getattr(entry if name in form.keeps else unknown, name) for name in entry._fields
    }


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
        write_dictionary(entries, path, DictionaryMetadata())
        lexicon = read_lexicon(path, unreviewed=True)

    assert lexicon.entries == tuple(Entry(e.source, e.target, 1.0, e.origin) for e in entries)


@pytest.mark.parametrize("name", ["a.tbx", "a.tei", "a.stardict", "a.parquet"])
def test_metadata_is_inside_formats_that_hold_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_dictionary(ENTRIES, path, METADATA)
    for manifest in tmp_path.rglob("*.manifest.json"):
        manifest.unlink()

    found = read_dictionary(path).metadata

    kept = METADATA.manifest if name == "a.parquet" else {}
    assert found == DictionaryMetadata(
        source_language="en",
        target_language="fr",
        title="English & French",
        license="CC0-1.0",
        manifest=kept,
    )
