"""`bilex convert`: dictionaries on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilex.lexicons import DictionaryEntry, read_dictionary, write_dictionary
from conftest_types import Bilex
from export_data import ENTRIES, METADATA


def test_a_lexicon_is_converted_edited_and_converted_back(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("dog chien\ncat chien\n")

    about = ("--source-language", "en", "--target-language", "fr", "--title", "Pets")
    done = bilex("convert", "seeds.txt", "-o", "pets.tbx", *about, "--license", "CC0-1.0")
    assert (done.code, done.out, done.err) == (0, "", "pets.tbx: 2 entries\n")
    text = (tmp_path / "pets.tbx").read_text()
    edited = text.replace("<term>cat</term>", "<term>puss</term>").replace("seed", "reviewed")
    (tmp_path / "pets.tbx").write_text(edited)
    assert bilex("convert", "pets.tbx", "-o", "pets.tsv").code == 0

    found = read_dictionary(tmp_path / "pets.tsv")
    assert [entry.source for entry in found.entries] == ["dog", "puss"]
    assert {entry.origin for entry in found.entries} == {"reviewed"}
    assert (found.metadata.title, found.metadata.license) == ("Pets", "CC0-1.0")
    assert (found.metadata.source_language, found.metadata.target_language) == ("en", "fr")


@pytest.mark.parametrize("name", ["d.tbx", "d.tei", "d.stardict", "d.parquet"])
def test_a_dictionary_becomes_seeds_for_fit(bilex: Bilex, tiny: Path, name: str) -> None:
    entries = [DictionaryEntry(f"s{i}", f"t{i}", origin="reviewed") for i in range(5)]
    write_dictionary(entries, tiny / name, METADATA)

    assert bilex("convert", name, "-o", "reviewed.tsv").code == 0

    done = bilex("fit", "s.vec", "t.vec", "reviewed.tsv", "-o", "m", "--json")
    assert json.loads(done.out)["pairs_used"] == 5
    direct = bilex("fit", "s.vec", "t.vec", name, "-o", "n", "--json")
    assert json.loads(direct.out)["pairs_used"] == 5


def test_what_is_left_out_is_reported(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("source\ttarget\tscore\tmutual\na\tb\t0.5\t1\n")

    done = bilex("convert", "d.tsv", "-o", "d", "--format", "jsonl")

    assert done.err == "d.tsv: left out columns: mutual\nd: 1 entries\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.tsv", "-o", "d.tbx"], "bilex: absent.tsv: no such file"),
        (["d.tsv", "-o", "d.docx"], "bilex: no format has the extension of 'd.docx'"),
        (["d.tsv", "-o", "d.tbx", "--format", "tbz"], "(did you mean 'tbx'?)"),
        (["d.tsv", "-o", "d.tbx", "--source-language", "English"], "bilex: the source_language is"),
        (
            ["d.tsv", "-o", "d.txt"],
            "cannot be written as muse: the word 'chambre <à> part' contains",
        ),
        (["d.tmx", "-o", "d.tbx"], "bilex: tmx is written but not read"),
    ],
)
def test_a_mistake_is_one_line(
    bilex: Bilex, tmp_path: Path, arguments: list[str], message: str
) -> None:
    for name in ("d.tsv", "d.tmx"):
        write_dictionary(ENTRIES, tmp_path / name, METADATA)

    done = bilex("convert", *arguments)

    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_help_names_an_example(bilex: Bilex) -> None:
    done = bilex("convert", "--help")

    assert done.code == 0
    assert "\nExamples:\n  bilex convert " in done.out


@pytest.mark.parametrize("option", [["--limit", "5"], ["--lowercase"]])
def test_options_of_vectors_are_refused_for_dictionaries(
    bilex: Bilex, tmp_path: Path, option: list[str]
) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.tsv", METADATA)
    done = bilex("convert", "d.tsv", "-o", "d.tbx", *option)
    assert done.code == 2
    assert "--limit and --lowercase are for vectors" in done.err


def test_options_of_dictionaries_are_refused_for_vectors(bilex: Bilex, tiny: Path) -> None:
    done = bilex("convert", "s.vec", "-o", "s.bin", "--license", "MIT")
    assert done.code == 2
    assert "are for dictionaries" in done.err


def test_text_files_are_vectors_unless_the_input_is_a_dictionary(bilex: Bilex, tiny: Path) -> None:
    assert bilex("convert", "s.vec", "-o", "vectors.txt").err.endswith("50 words × 3\n")
    assert bilex("convert", "seeds.tsv", "-o", "pairs.txt").err == "pairs.txt: 3 entries\n"


def test_a_model_is_exported_not_converted(bilex: Bilex, model: Path) -> None:
    done = bilex("convert", "m", "-o", "m.tsv")
    assert (done.code, done.out) == (2, "")
    assert "m: is a model: use `bilex export`" in done.err


def test_csv_for_excel_starts_with_a_byte_order_mark(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("summer\tété\n", encoding="utf-8")
    assert bilex("convert", "d.tsv", "-o", "d.csv", "--excel").code == 0
    assert (tmp_path / "d.csv").read_bytes().startswith(b"\xef\xbb\xbfsource,target")
    assert bilex("convert", "d.csv", "-o", "e.tsv").code == 0
    assert "summer\tété" in (tmp_path / "e.tsv").read_text("utf-8")

    done = bilex("convert", "d.tsv", "-o", "d.xlsx", "--excel")
    assert (done.code, done.err) == (
        2,
        "bilex: --excel is for .csv files: leave it out; .xlsx files do not need it\n",
    )


def test_a_workbook_is_converted_both_ways(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("summer\tété\n", encoding="utf-8")
    assert bilex("convert", "d.tsv", "-o", "d.xlsx").code == 0
    assert bilex("convert", "d.xlsx", "-o", "e.gatitos.tsv").code == 0
    assert (tmp_path / "e.gatitos.tsv").read_text("utf-8") == "summer\tété\n"


def test_a_glossary_lists_what_does_not_fit(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("dog\tchien\tcabot\ncat\tchat\n")

    done = bilex("convert", "d.tsv", "-o", "d.deepl.tsv")

    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "warning: d.deepl.tsv: 1 entry left out, further translation of a word: 1 (dog → cabot); "
        "list: d.deepl.tsv.left-out.tsv\nd.deepl.tsv: 2 entries\n"
    )
    assert (tmp_path / "d.deepl.tsv").read_text() == "dog\tchien\ncat\tchat\n"
    left_out = read_dictionary(tmp_path / "d.deepl.tsv.left-out.tsv")
    assert [entry[:2] for entry in left_out] == [("dog", "cabot")]


@pytest.mark.parametrize("name", ["d.aws.csv", "d.aws.tmx", "d.google-terms.csv", "d.weblate.tbx"])
def test_a_glossary_that_names_languages_needs_them(
    bilex: Bilex, tmp_path: Path, name: str
) -> None:
    (tmp_path / "d.tsv").write_text("dog\tchien\n")

    done = bilex("convert", "d.tsv", "-o", name)
    assert done.code == 2
    assert "files name both languages: give their codes, such as --source-language en" in done.err
    languages = ("--source-language", "en", "--target-language", "fr")
    assert bilex("convert", "d.tsv", "-o", name, *languages).err == f"{name}: 1 entries\n"
