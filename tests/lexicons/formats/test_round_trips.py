"""Reading what was written gives the same dictionary, in every format that is read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.errors import EmptyLexiconError, LexiconFileError
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
    *("a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tbx", "a.tei", "a.lift", "a.stardict"),
    *("a.tsv.gz", "a.csv.gz", "a.jsonl.gz", "a.tbx.gz", "a.tei.xml", "a.tei.xml.gz"),
)


@given(entries=dictionaries, about=metadata, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=40)
@example([DictionaryEntry("\\u0001", "\x01")], DictionaryMetadata(title="und-und"), "a.stardict")
@example([DictionaryEntry("a", "b", model="x origin=seed")], DictionaryMetadata(), "a.tei")
@example([DictionaryEntry("a", "b", note="origin=seed")], DictionaryMetadata(), "a.tbx")
@example([DictionaryEntry("a", "b", part_of_speech="100%25 sure")], DictionaryMetadata(), "a.tbx")
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
    if name == "a.stardict":  # it holds no rejected entries
        entries = [entry for entry in entries if entry.origin != "rejected"] or list(ENTRIES)
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
    entry = DictionaryEntry(
        *("house", "maison", 0.93, 0.61, 1, 2, "reviewed", "css-4f"),
        *("noun", "building", "a note", "Ann", "2026-01-31T12:00:00Z"),
    )
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
        if all(entry.origin == "rejected" for entry in entries):
            with pytest.raises(LexiconFileError, match="found no word pair but"):
                read_lexicon(path, unreviewed=True)
            return
        lexicon = read_lexicon(path, unreviewed=True)

    assert lexicon.entries == tuple(
        Entry(e.source, e.target, 1.0, e.origin) for e in entries if e.origin != "rejected"
    )


@pytest.mark.parametrize("name", ["a.tbx", "a.tei", "a.lift", "a.stardict", "a.parquet"])
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


@pytest.mark.parametrize(
    ("name", "form"), [(n, f) for n, f in installed_formats().items() if f.is_writable]
)
def test_formats_that_would_show_rejected_entries_do_not_hold_them(
    tmp_path: Path, name: str, form: Format
) -> None:
    entries = [
        DictionaryEntry("dog", "chien", origin="reviewed"),
        DictionaryEntry("dog", "chat", origin="rejected"),
    ]
    path = tmp_path / f"d{form.extensions[0]}"
    written = write_dictionary(entries, path, METADATA)

    shows = {"anki", "dix", "gatitos", "muse", "prompts", "stardict", "tmx", "weblate-csv"}
    shows |= {"aws", "aws-tmx", "azure", "deepl", "google", "google-terms"}
    assert form.keeps_rejected == (name not in shows)
    assert written == (1 if name in shows else 2)
    if form.is_readable:
        assert [entry.target for entry in read_dictionary(path)] == ["chien", "chat"][:written]
    if name in shows:
        files = [path] if path.is_file() else list(path.iterdir())
        assert not any("chat" in file.read_text("utf-8", "replace") for file in files)
        with pytest.raises(EmptyLexiconError, match=f"{name} files hold no rejected entries"):
            write_dictionary(entries[1:], tmp_path / f"e{form.extensions[0]}", METADATA)


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.tbx", "a.tei", "a.lift", "a.xlsx"])
def test_rejected_entries_are_no_seeds(tmp_path: Path, name: str) -> None:
    write_dictionary(
        [
            DictionaryEntry("dog", "chien", origin="reviewed"),
            DictionaryEntry("dog", "chat", origin="rejected"),
        ],
        tmp_path / name,
    )
    found = read_lexicon(tmp_path / name, unreviewed=True)

    assert found.entries == (Entry("dog", "chien", 1.0, "reviewed"),)
    assert found.report is not None
    assert [(row.reason, row.text) for row in found.report.left_out] == [
        ("marked wrong", "dog\tchat")
    ]
