"""`bilex export`: dictionaries on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilex.dictionary import DictionaryEntry
from bilex.export import read_dictionary, write_dictionary
from conftest_types import Bilex
from export_data import ENTRIES, FACTS


def test_a_lexicon_goes_out_is_edited_and_comes_home(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("dog chien\ncat chien\n")

    told = ("--source-language", "en", "--target-language", "fr", "--title", "Pets")
    done = bilex("export", "seeds.txt", "pets.tbx", *told, "--license", "CC0-1.0")
    assert (done.code, done.out, done.err) == (0, "", "pets.tbx: 2 entries\n")
    text = (tmp_path / "pets.tbx").read_text()
    edited = text.replace("<term>cat</term>", "<term>puss</term>").replace("seed", "reviewed")
    (tmp_path / "pets.tbx").write_text(edited)
    assert bilex("export", "pets.tbx", "pets.tsv").code == 0

    found = read_dictionary(tmp_path / "pets.tsv")
    assert [entry.source for entry in found.entries] == ["dog", "puss"]
    assert {entry.origin for entry in found.entries} == {"reviewed"}
    assert (found.facts.title, found.facts.license) == ("Pets", "CC0-1.0")
    assert (found.facts.source_language, found.facts.target_language) == ("en", "fr")


@pytest.mark.parametrize("name", ["d.tbx", "d.tei", "d.stardict", "d.parquet"])
def test_a_dictionary_becomes_seeds_for_fit(bilex: Bilex, tiny: Path, name: str) -> None:
    entries = [DictionaryEntry(f"s{i}", f"t{i}", origin="reviewed") for i in range(5)]
    write_dictionary(entries, tiny / name, FACTS)

    assert bilex("export", name, "reviewed.tsv").code == 0

    done = bilex("fit", "s.vec", "t.vec", "reviewed.tsv", "-o", "m", "--json")
    assert json.loads(done.out)["pairs_used"] == 5
    direct = bilex("fit", "s.vec", "t.vec", name, "-o", "m")
    assert direct.code == 2
    assert "`bilex export" in direct.err


def test_what_is_left_out_is_told(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("source\ttarget\tscore\tmutual\na\tb\t0.5\t1\n")

    done = bilex("export", "d.tsv", "d", "--format", "jsonl")

    assert done.err == "d.tsv: left out columns: mutual\nd: 1 entries\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.tsv", "d.tbx"], "bilex: absent.tsv: no such file"),
        (["d.tsv", "d.docx"], "bilex: the ending of 'd.docx' tells no format"),
        (["d.tsv", "d.tbx", "--format", "tbz"], "(did you mean 'tbx'?)"),
        (["d.tsv", "d.tbx", "--source-language", "English"], "bilex: the source_language is"),
        (["d.tsv", "d.txt"], "cannot be written as muse: the word 'chambre <à> part' holds a"),
        (["d.tmx", "d.tbx"], "bilex: tmx is written but not read"),
    ],
)
def test_mistakes_are_told_in_one_line(
    bilex: Bilex, tmp_path: Path, arguments: list[str], message: str
) -> None:
    for name in ("d.tsv", "d.tmx"):
        write_dictionary(ENTRIES, tmp_path / name, FACTS)

    done = bilex("export", *arguments)

    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_help_names_an_example(bilex: Bilex) -> None:
    done = bilex("export", "--help")

    assert done.code == 0
    assert "Example: " in done.out
