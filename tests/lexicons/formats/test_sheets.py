"""Spreadsheets: written to be reviewed, read as people save them, and never trusted."""

from __future__ import annotations

import io
import math
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import (
    DictionaryFileError,
    LexiconFileError,
    MissingExtraError,
    SettingError,
)
from bilex.lexicons import (
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    read_lexicon,
    write_dictionary,
    write_lexicon,
)
from bilex.lexicons.formats import check_output
from bilex.values import Entry, Lexicon
from export_data import ENTRIES, METADATA, NASTY_WORDS, dictionaries, metadata, words

SHEET = "xl/worksheets/sheet1.xml"
PEOPLE = Path(__file__).parents[1] / "people" / "files"
WRITABLE = [word for word in NASTY_WORDS if not set(word) & set("\ufffe\uffff")]


def edited(source: Path, target: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Write a workbook with one of its files changed."""
    with zipfile.ZipFile(source) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    files[name] = change(files[name])
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in files.items():
            archive.writestr(each, content)
    return target


def written(folder: Path) -> Path:
    write_dictionary(ENTRIES, folder / "d.xlsx", METADATA)
    return folder / "d.xlsx"


def is_writable(entry: DictionaryEntry) -> bool:
    texts = "".join(text for text in entry if isinstance(text, str))
    return not set(texts) & set("\ufffe\uffff") and abs(entry.score or 0) < 1e300


def are_alike(one: object, other: object) -> bool:
    """Return whether two fields are equal, numbers to the 15 digits that a spreadsheet keeps."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-14, abs_tol=1e-300)
    return one == other


@given(entries=dictionaries, about=metadata)
@settings(deadline=None, max_examples=10)
def test_reading_a_written_workbook_gives_the_same_dictionary(
    entries: list[DictionaryEntry], about: DictionaryMetadata
) -> None:
    entries = [entry for entry in entries if is_writable(entry)] or list(ENTRIES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.xlsx"
        assert write_dictionary(entries, path, about) == len(entries)
        found = read_dictionary(path)

    assert len(found) == len(entries)
    for read, wrote in zip(found, entries, strict=True):
        assert all(map(are_alike, read, wrote))
    assert (found.metadata, found.notes) == (about, ())


@given(
    entries=st.lists(
        st.tuples(words, words).map(lambda pair: Entry(*pair)), min_size=1, max_size=5
    ),
    name=st.sampled_from(["a.csv", "a.tsv", "a.csv.gz"]),
)
@settings(deadline=None, max_examples=100)
def test_reading_written_pairs_gives_the_same_pairs(entries: list[Entry], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_lexicon(Lexicon(tuple(entries)), path)
        assert read_lexicon(path).entries == tuple(entries)


@given(entries=dictionaries)
@settings(deadline=None, max_examples=30)
def test_reading_csv_for_excel_gives_the_same_dictionary(entries: list[DictionaryEntry]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.csv"
        write_dictionary(entries, path, byte_order_mark=True)
        assert path.read_bytes().startswith(b"\xef\xbb\xbfsource,target,")
        assert list(read_dictionary(path)) == entries


def test_nasty_words_survive(tmp_path: Path) -> None:
    entries = [DictionaryEntry(a, b) for a, b in zip(WRITABLE, reversed(WRITABLE), strict=True)]
    write_dictionary(entries, tmp_path / "d.xlsx", METADATA)

    assert list(read_dictionary(tmp_path / "d.xlsx")) == entries


def test_what_a_workbook_cannot_hold_is_named(tmp_path: Path) -> None:
    for entry, problem in (
        (DictionaryEntry("a\uffff", "b"), r"'a\uffff' holds a character that a workbook cannot"),
        (DictionaryEntry("a" * 40_000, "b"), "has 40,000 characters, a cell holds 32,767"),
    ):
        with pytest.raises(DictionaryFileError) as caught:
            write_dictionary([entry], tmp_path / "d.xlsx")
        assert problem in caught.value.problem
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_has_the_same_bytes_for_the_same_entries(tmp_path: Path) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        write_dictionary(ENTRIES, tmp_path / name, METADATA)

    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_a_workbook_is_made_for_review(tmp_path: Path) -> None:
    entry = DictionaryEntry("=cmd()", "http://x.org", 0.93, 0.61, 1, 1, "induced", "css-4f")
    write_dictionary([entry], tmp_path / "d.xlsx", METADATA)
    with zipfile.ZipFile(tmp_path / "d.xlsx") as archive:
        sheet, styles = (archive.read(name).decode() for name in (SHEET, "xl/styles.xml"))

    assert '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' in sheet
    assert '<autoFilter ref="A1:N2"/>' in sheet
    assert '<dataValidation type="list"' in sheet
    assert 'sqref="D2"><formula1>"ok,wrong,unsure"</formula1>' in sheet
    assert 'formatCode="0.0%"' in styles
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
    assert list(read_dictionary(tmp_path / "d.xlsx")) == [entry]


def test_calamine_reads_the_same_cells(tmp_path: Path) -> None:
    from python_calamine import CalamineWorkbook

    sheet = CalamineWorkbook.from_path(str(written(tmp_path))).get_sheet_by_index(0)

    assert sheet.name == "en-fr"
    assert sheet.to_python() == [
        [
            *("source", "target", "probability", "review", "score", "rank", "back_rank"),
            *("origin", "model", "part_of_speech", "sense", "note", "reviewer", "reviewed_at"),
        ],
        ["house", "maison", 0.93, "", 0.61, 1, 1, "induced", "css-4f", *[""] * 5],
        ["house", "chambre <à> part", 0.5, "", "", 2, "", "reviewed", "", *[""] * 5],
        ["New York", 'New "York"', "", "", "", "", "", "seed", "", *[""] * 5],
    ]


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [("und", "und", "dictionary"), ("en", "und", "dictionary"), ("en", "fr", "en-fr")],
)
def test_the_sheet_is_named_by_the_languages_if_they_are_known(
    tmp_path: Path, source: str, target: str, name: str
) -> None:
    metadata = DictionaryMetadata(source_language=source, target_language=target)
    write_dictionary(ENTRIES, tmp_path / "d.xlsx", metadata)

    with zipfile.ZipFile(tmp_path / "d.xlsx") as archive:
        assert f'<sheet name="{name}"' in archive.read("xl/workbook.xml").decode()


@pytest.mark.parametrize("name", ["libreoffice-reviewed.xlsx", "libreoffice-reviewed.ods"])
def test_reviews_are_read_back(name: str) -> None:
    found = read_dictionary(PEOPLE / name)

    assert [(entry.source, entry.target, entry.origin) for entry in found] == [
        ("dog", "chien", "reviewed"),
        ("dog", "chienne", "rejected"),
        ("cat", "chat", "reviewed"),
        ("sea", "mer", "seed"),
        ("=1+1", "deux", "induced"),
    ]
    assert found.notes == ()
    assert found.entries[0].probability == 0.97


def test_a_review_that_is_no_decision_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text('source,target,probability,review\ndog,chien,"97,5 %",ok\n')
    assert list(read_dictionary(path)) == [
        DictionaryEntry("dog", "chien", 0.975, origin="reviewed")
    ]

    path.write_text("source,target,probability,review\ndog,chien,0.9,perhaps\n")
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)
    assert (caught.value.line, caught.value.problem) == (
        2,
        "the review is 'perhaps', expected ok, wrong or unsure",
    )


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    sheet = b"<worksheet><sheetData>" + b" " * 30_000_000 + b"</sheetData></worksheet>"
    path = edited(written(tmp_path), tmp_path / "bomb.xlsx", SHEET, lambda _: sheet)

    assert path.stat().st_size < 50_000
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)
    assert "xl/worksheets/sheet1.xml inside has more than" in caught.value.problem


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'r="B2"', b'r="XFD1048576"', "has a cell in column 16,384, expected a few columns"),
        (b"<worksheet", b'<!DOCTYPE a [<!ENTITY b "c">]><worksheet', "declares a document type"),
        (b"</sheetData>", b"", "mismatched tag"),
        (b"maison", b"m" * 100_001, "has a cell of 100,001 characters, expected a word"),
        (b't="inlineStr"', b't="s"', "refers to text number 'source' of 0"),
    ],
)
def test_a_damaged_sheet_is_explained(tmp_path: Path, old: bytes, new: bytes, problem: str) -> None:
    path = edited(
        written(tmp_path), tmp_path / "x.xlsx", SHEET, lambda data: data.replace(old, new)
    )

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            (b"<text:p>symbole</text:p>", b'<text:p>x<text:s text:c="2000000000"/></text:p>'),
            None,
        ),
        (
            (b"<table:table-row ", b'<table:table-row table:number-rows-repeated="99999" '),
            "repeats row 1 99,999 times",
        ),
        (
            (b"<table:table-cell ", b'<table:table-cell table:number-columns-repeated="2000" '),
            "has a cell in column 2,000 with 7 characters",
        ),
    ],
    ids=["spaces", "rows", "columns"],
)
def test_an_opendocument_bomb_is_refused_or_harmless(
    tmp_path: Path, change: tuple[bytes, bytes], problem: str | None
) -> None:
    path = edited(
        PEOPLE / "libreoffice-list.ods",
        tmp_path / "bomb.ods",
        "content.xml",
        lambda data: data.replace(*change),
    )
    if problem is None:
        assert read_lexicon(path).translations["symbol"] == ("x",)
        return
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)
    assert problem in caught.value.problem


def test_a_workbook_without_pairs_names_its_sheets(tmp_path: Path) -> None:
    path = edited(
        written(tmp_path),
        tmp_path / "x.xlsx",
        SHEET,
        lambda _: b"<worksheet><sheetData/></worksheet>",
    )

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)
    assert caught.value.problem == (
        "found no sheet with word pairs (en-fr): expected the source words in one column and the "
        "target words in another"
    )


@pytest.mark.parametrize("name", ["a.xlsx", "a.ods"])
def test_another_archive_is_not_a_workbook(tmp_path: Path, name: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("readme.txt", "no sheet")
    (tmp_path / name).write_bytes(data.getvalue())

    with pytest.raises(LexiconFileError, match="it is damaged, or not a spreadsheet"):
        read_lexicon(tmp_path / name)


def test_numbers_are_written_as_people_write_them() -> None:
    lexicon = read_lexicon(PEOPLE / "libreoffice-numbers.xlsx")

    assert [entry.target for entry in lexicon.entries] == ["chien", "2"]
    assert math.isclose(lexicon.entries[0].weight, 0.5)


def test_writing_a_workbook_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"bilex\[sheets\]"):
        check_output(tmp_path / "d.xlsx")


def test_a_byte_order_mark_is_for_csv(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        write_dictionary(ENTRIES, tmp_path / "d.tsv", byte_order_mark=True)

    assert str(caught.value) == "a byte-order mark is for csv files, not for tsv: leave it out"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_words_with_separators_are_written_below_a_header(name: str, tmp_path: Path) -> None:
    entries = (Entry("0", "0;"), Entry("a", "b/c"), Entry("d", "e,"))
    write_lexicon(Lexicon(entries), tmp_path / name)
    assert read_lexicon(tmp_path / name).entries == entries
