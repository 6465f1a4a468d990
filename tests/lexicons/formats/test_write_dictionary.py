"""Writing dictionaries: which format, complete or not at all, and invalid entries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bilex.errors import (
    DictionaryFileError,
    EmptyLexiconError,
    MissingExtraError,
    SettingError,
    UnknownPluginError,
)
from bilex.lexicons import (
    Dictionary,
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    write_dictionary,
)
from bilex.lexicons.formats import check_output, installed_formats
from bilex.lexicons.formats import stardict as stardict_module
from export_data import ENTRIES, METADATA

ONE = (DictionaryEntry("dog", "chien"),)
FORMATS = {name: form for name, form in installed_formats().items() if form.is_writable}


def path_of(folder: Path, name: str) -> Path:
    return folder / f"d{FORMATS[name].extensions[0]}"


@pytest.mark.parametrize("name", FORMATS)
def test_the_extension_decides_the_format(tmp_path: Path, name: str) -> None:
    write_dictionary(ONE, path_of(tmp_path, name), METADATA)
    write_dictionary(ONE, tmp_path / "other", METADATA, format=name)

    assert (tmp_path / "other").is_dir() == (name == "stardict")
    if name != "stardict":
        assert (tmp_path / "other").read_bytes() == path_of(tmp_path, name).read_bytes()
        assert (tmp_path / "other.manifest.json").exists()


def test_the_name_of_a_format_comes_before_the_extension(tmp_path: Path) -> None:
    write_dictionary(ONE, str(tmp_path / "d.tsv"), METADATA, format="gatitos")

    assert (tmp_path / "d.tsv").read_text() == "dog\tchien\n"


@pytest.mark.parametrize(
    ("name", "form", "message"),
    [
        (
            "d.pdf",
            None,
            "no format has the extension of 'd.pdf': expected one of .anki.tsv, .aws.csv, ",
        ),
        ("d", None, "no format has the extension of 'd'"),
        (
            "d.tsv",
            "tbz",
            "no format plugin is called 'tbz' (did you mean 'tbx'?); installed: anki, ",
        ),
        ("d.dix.gz", None, "dix is not written gzipped: leave .gz off 'd.dix.gz'"),
        ("folder", "tsv", "folder is a folder; give the name of a file to write"),
        ("folder", "stardict", "exists and is not a stardict dictionary: give a new name"),
        ("file", "stardict", "exists and is not a stardict dictionary: give a new name"),
    ],
)
def test_a_wrong_path_is_an_error_before_long_work(
    tmp_path: Path, name: str, form: str | None, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letters.txt").touch()
    (tmp_path / "file").touch()

    error = UnknownPluginError if form == "tbz" else SettingError
    with pytest.raises(error) as caught:
        check_output(tmp_path / name, form)

    assert message in str(caught.value)
    with pytest.raises(error):
        write_dictionary(ONE, tmp_path / name, METADATA, format=form)
    assert (tmp_path / "folder" / "letters.txt").exists()


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[export\]'"):
        check_output(tmp_path / "d.parquet")


def test_a_stardict_folder_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "d.stardict"
    path.mkdir()
    for entries in (ENTRIES, ONE):
        write_dictionary(entries, path, METADATA)
    write_dictionary(ONE, path, replace(METADATA, target_language="br"))

    assert read_dictionary(path).entries == ONE
    assert len(list(path.glob("*.ifo"))) == 1


def test_a_dictionary_brings_its_metadata(tmp_path: Path) -> None:
    write_dictionary(Dictionary(ENTRIES, METADATA), tmp_path / "d.tsv")
    write_dictionary(Dictionary(ENTRIES, METADATA), tmp_path / "e.tsv", DictionaryMetadata())

    assert read_dictionary(tmp_path / "d.tsv").metadata == METADATA
    assert read_dictionary(tmp_path / "e.tsv").metadata == DictionaryMetadata()


@pytest.mark.parametrize("name", FORMATS)
def test_an_error_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    def interrupted() -> Iterator[DictionaryEntry]:
        yield from ENTRIES[:1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dictionary(interrupted(), path_of(tmp_path, name), METADATA)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_to_write_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(EmptyLexiconError, match="no entry to write to "):
        write_dictionary([], path_of(tmp_path, name), METADATA)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (DictionaryEntry("", "b"), "the source word is empty: fill it in or delete the row"),
        (DictionaryEntry("a", ""), "the target word is empty: fill it in or delete the row"),
        (
            DictionaryEntry("a\tb", "c"),
            r"the source 'a\tb' holds a tab, which no lexicon file can keep",
        ),
        (DictionaryEntry("a", "b "), "the target 'b ' starts or ends with a space: remove it"),
        (
            DictionaryEntry("a", "\udfff"),
            r"the target '\udfff' holds half of a character (a lone surrogate), which no lexicon "
            "file can keep",
        ),
        (DictionaryEntry("a", "b", 1.5), "the probability is 1.5, expected a number from 0 to 1"),
        (
            DictionaryEntry("a", "b", float("nan")),
            "the probability is nan, expected a number from 0 to 1",
        ),
        (
            DictionaryEntry("a", "b", None, float("inf")),
            "the score is inf, expected a finite number",
        ),
        (DictionaryEntry("a", "b", rank=0), "the rank is 0, expected 1 or more"),
        (
            DictionaryEntry("a", "b", back_rank=2**40),
            f"the back_rank is {2**40}, expected 1 or more",
        ),
        (
            DictionaryEntry("a", "b", origin="hearsay"),  # type: ignore[arg-type]
            "the origin is 'hearsay', expected one of seed, induced, reviewed, rejected",
        ),
        (
            DictionaryEntry("a", "b", model="x\ny"),
            r"the model 'x\ny' holds a line break, which no lexicon file can keep",
        ),
        (
            DictionaryEntry("a", "b", note="x\ny"),
            r"the note 'x\ny' holds a line break, which no lexicon file can keep",
        ),
        (
            DictionaryEntry("a", "b", reviewed_at="2026-13-01"),
            "the reviewed_at is '2026-13-01', expected a time such as 2026-01-31T12:00:00Z",
        ),
        (
            DictionaryEntry("a", "b", reviewed_at="yesterday"),
            "the reviewed_at is 'yesterday', expected a time such as 2026-01-31T12:00:00Z",
        ),
    ],
)
@pytest.mark.parametrize("name", ["tsv", "parquet", "tbx", "stardict"])
def test_what_no_format_can_hold_is_refused(
    tmp_path: Path, entry: DictionaryEntry, message: str, name: str
) -> None:
    path = path_of(tmp_path, name)
    with pytest.raises(DictionaryFileError) as caught:
        write_dictionary([*ENTRIES, entry], path, METADATA)

    assert str(caught.value) == f"{path}: entry 4 cannot be written: {message}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [("New York", "b"), ("a", "b\u00a0c"), ("a\u2028", "b")])
def test_muse_cannot_hold_white_space(tmp_path: Path, words: tuple[str, str]) -> None:
    word = words[0] if words[1] == "b" else words[1]
    with pytest.raises(DictionaryFileError) as caught:
        write_dictionary([*ONE, DictionaryEntry(*words)], tmp_path / "d.txt", METADATA)

    assert caught.value.problem == (
        f"cannot be written as muse: the word {word!r} contains white space, which "
        "separates words in a MUSE file: write another format, such as gatitos"
    )
    assert not list(tmp_path.iterdir())


def test_stardict_has_room_for_255_bytes(tmp_path: Path) -> None:
    path = tmp_path / "d.stardict"
    entry = DictionaryEntry("é" * 127 + "a", "b")
    write_dictionary([entry], path, METADATA)
    assert read_dictionary(path).entries == (entry,)

    with pytest.raises(DictionaryFileError, match="has 256 bytes, StarDict allows 255"):
        write_dictionary([DictionaryEntry("é" * 128, "b")], path, METADATA)


def test_a_huge_stardict_has_wide_offsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stardict_module, "FOUR_GIGABYTES", 10)
    write_dictionary(ENTRIES, tmp_path / "d.stardict", METADATA)

    assert "version=3.0.0" in (tmp_path / "d.stardict" / "en-fr.ifo").read_text()
    assert read_dictionary(tmp_path / "d.stardict").entries == ENTRIES


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            DictionaryMetadata(source_language="English!"),
            "the source_language is 'English!', expected a language tag such as 'en'",
        ),
        (DictionaryMetadata(target_language=""), "the target_language is '', expected a language"),
        (DictionaryMetadata(title="a\nb"), r"the title is 'a\nb': expected one line"),
        (DictionaryMetadata(license=" MIT"), "the license is ' MIT': expected one line without"),
        (DictionaryMetadata(manifest={"a": object()}), "the manifest cannot be written as JSON"),
        (
            DictionaryMetadata(manifest={"a": float("nan")}),
            "the manifest cannot be written as JSON",
        ),
        (DictionaryMetadata(manifest={"a": "\ud800"}), "the manifest cannot be written as JSON"),
    ],
)
def test_invalid_metadata_is_an_error(
    tmp_path: Path, metadata: DictionaryMetadata, message: str
) -> None:
    with pytest.raises(SettingError) as caught:
        write_dictionary(ONE, tmp_path / "d.tsv", metadata)

    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_parquet_is_written_in_groups_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bilex.lexicons.formats import parquet

    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 2)
    write_dictionary(ENTRIES, tmp_path / "d.parquet", METADATA)

    assert read_dictionary(tmp_path / "d.parquet").entries == ENTRIES


def test_the_weights_of_a_dix_are_finite(tmp_path: Path) -> None:
    entries = [DictionaryEntry("a", "b", 1.0), DictionaryEntry("a", "c", 0.0)]
    write_dictionary(entries, tmp_path / "d.dix", METADATA)

    text = (tmp_path / "d.dix").read_text()
    assert '<e w="0.000000" c="probability=1.0 origin=induced">' in text
    assert '<e w="708.396419" c="probability=0.0 origin=induced">' in text


def test_without_a_title_the_anki_file_names_no_deck(tmp_path: Path) -> None:
    write_dictionary(ONE, tmp_path / "d.anki.txt")

    assert "#deck" not in (tmp_path / "d.anki.txt").read_text()
