"""Wiktionary, Wikidata and SMOL."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import LexiconFileError
from bilex.lexicons.imports import Language, PairRequest, import_pairs
from bilex.lexicons.imports.wiktionary import _Mentions
from import_resources import (
    EXPECTED,
    json_lines,
    lexeme,
    statement,
    wikidata_lexemes,
    wiktionary_records,
    write_wikidata,
    write_wiktionary,
)


def entry(word: str, code: str, *translations: object) -> dict[str, object]:
    return {"word": word, "lang_code": code, "pos": "noun", "translations": list(translations)}


def write(folder: Path, *records: object) -> Path:
    path = folder / "kaikki.jsonl"
    path.write_text(json_lines(records), encoding="utf-8")
    return path


def pairs(path: Path, source: str = "en", target: str = "fi") -> list[tuple[str, str]]:
    found = import_pairs(path, source, target)
    return [(one.source, one.target) for one in found.entries]


# Wiktionary.


def test_redirects_and_translations_without_a_word_are_counted(tmp_path: Path) -> None:
    report = import_pairs(write_wiktionary(tmp_path), "en", "fi").report

    assert report.entries == 5
    assert report.left_out == {"redirects": 1, "repeated": 1, "without a word": 1}
    assert report.license == "CC-BY-SA-4.0"


def test_glosses_are_no_translations(tmp_path: Path) -> None:
    path = write(tmp_path, {"word": "koira", "lang_code": "fi", "senses": [{"glosses": ["dog"]}]})

    with pytest.raises(LexiconFileError, match="no pair fi-en was found"):
        import_pairs(path, "fi", "en", importer="wiktionary")


def test_a_gzipped_extract_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kaikki.jsonl.gz"
    path.write_bytes(gzip.compress(json_lines(wiktionary_records()).encode()))

    assert pairs(path) == list(EXPECTED)


def test_escaped_codes_are_found(tmp_path: Path) -> None:
    path = tmp_path / "kaikki.jsonl"
    line = json.dumps(entry("dog", "en", {"code": "fi", "word": "koira"}))
    path.write_text(line.replace('"fi"', '"\\u0066i"') + "\n")

    assert pairs(path) == [("dog", "koira")]


CODES = st.sampled_from(["en", "fi", "fin", "eng", "en-US", "fi-FI", "fr", "file", "", "e n"])
ENTRIES = st.builds(
    entry,
    st.sampled_from(["a", "en", "fi", '"fi"']),
    CODES,
    st.fixed_dictionaries({"code": CODES, "word": st.sampled_from(["x", "fi"])}),
    st.fixed_dictionaries({"lang_code": CODES, "word": st.sampled_from(["y", "en"])}),
)


@given(ENTRIES)
def test_no_line_with_a_pair_is_passed_over(record: dict[str, object]) -> None:
    request = PairRequest(Language.of("en"), Language.of("fi"))
    translations = record["translations"]
    assert isinstance(translations, list)
    has_pair = any(
        request.is_reversed(record["lang_code"], one.get("lang_code") or one.get("code"))
        is not None
        for one in translations
    )

    for text in (json.dumps(record), json.dumps(record, separators=(",", ":"))):
        assert _Mentions(request).pair_in(text.encode()) or not has_pair


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"word": "en", "lang_code": "fi"', "expected one JSON object a line: is the file cut"),
        (b'{"lang_code": "fi", "en", }', "not valid JSON"),
        (b'{"lang_code": "fi", "en": "\xff"}', "byte 0xff is not UTF-8: convert the file"),
        (b'{"a": "fi", "en": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", "not valid JSON"),
    ],
)
def test_a_damaged_line_is_an_error_with_its_number(
    tmp_path: Path, line: bytes, problem: str
) -> None:
    path = write(tmp_path, entry("dog", "en", {"code": "fi", "word": "koira"}))
    path.write_bytes(path.read_bytes() + b"\n" + line + b"\n")

    with pytest.raises(LexiconFileError, match=problem) as error:
        import_pairs(path, "en", "fi", importer="wiktionary")
    assert error.value.line == 3


def test_a_line_without_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "bilex.lexicons.imports.wiktionary.numbered_byte_lines.__kwdefaults__", {"longest": 50}
    )
    path = write_wiktionary(tmp_path)

    with pytest.raises(LexiconFileError, match="the line is longer than 50 bytes"):
        import_pairs(path, "en", "fi")


def test_a_cut_archive_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kaikki.jsonl.gz"
    path.write_bytes(gzip.compress(json_lines(wiktionary_records()).encode())[:-20])

    with pytest.raises(LexiconFileError, match="the archive is damaged or cut short"):
        import_pairs(path, "en", "fi", importer="wiktionary")


# Wikidata.


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_a_compressed_dump_is_read(tmp_path: Path, ending: str, pack: object) -> None:
    plain = write_wikidata(tmp_path)
    path = tmp_path / f"packed.json{ending}"
    assert callable(pack)
    path.write_bytes(pack(plain.read_bytes()))

    assert pairs(path) == list(EXPECTED)


def test_deprecated_statements_and_those_without_value_are_counted(tmp_path: Path) -> None:
    report = import_pairs(write_wikidata(tmp_path), "en", "fi").report

    assert report.left_out == {"deprecated statements": 1, "statements without a value": 1}
    assert report.entries == len(wikidata_lexemes())


def write_dump(folder: Path, *lexemes: object) -> Path:
    path = folder / "lexemes.json"
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in lexemes) + "\n]\n")
    return path


def test_every_spelling_of_a_lemma_is_paired(tmp_path: Path) -> None:
    path = write_dump(
        tmp_path,
        lexeme(1, {"en": "color", "en-gb": "colour"}, {"P5972": [statement("L2-S1")]}),
        lexeme(2, {"fi": "väri"}, []),
    )

    assert pairs(path) == [("color", "väri"), ("colour", "väri")]


def test_provenance_is_the_sense_or_the_item(tmp_path: Path) -> None:
    found = import_pairs(write_wikidata(tmp_path), "en", "fi")

    assert [one.provenance for one in found.entries] == [
        "wikidata:L1-S1",
        "wikidata:L4-S1",
        "wikidata:Q4022",
    ]


def test_an_item_of_very_many_senses_is_left_out(tmp_path: Path) -> None:
    item = {"P5137": [statement("Q1")]}
    many = [lexeme(2000 + i, {"en": f"w{i}"}, item) for i in range(101)]
    path = write_dump(
        tmp_path,
        *many,
        *(lexeme(1000 + i, {"fi": f"s{i}"}, item) for i in range(100)),
        *wikidata_lexemes(),
    )

    found = import_pairs(path, "en", "fi")

    assert len(found) == len(EXPECTED)
    assert found.report.left_out["items with more than 10,000 pairs"] == 1


# SMOL.


def test_empty_lists_and_other_values_are_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"sl": "en", "tl": "fi", "src": "dog", "trgs": ["koira", 3, "hauva"]},
        {"sl": "en", "tl": "fi", "src": "cat", "trgs": []},
        {"sl": "en", "tl": "fi", "src": None, "trgs": ["x"]},
    )

    found = import_pairs(path, "en", "fi")

    assert [one.target for one in found.entries] == ["koira", "hauva"]
    assert found.report.left_out == {"of an unexpected form": 1, "without a word": 1}
