"""Repeated pairs, weights, settings, manifests, licenses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import LexiconFileError, PluginError, SettingError, UnknownPluginError
from bilex.lexicons import read_dictionary
from bilex.lexicons.imports import Importer, Tally, import_pairs, write_imported
from bilex.lexicons.imports.licenses import license_id
from bilex.storage.hashes import sha256_of
from bilex.values import Lexicon
from import_resources import json_lines, write_opus, write_smol


def write_dic(folder: Path, text: str) -> Path:
    path = folder / "en-fi.dic"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_repeated_pair_is_kept_once_with_its_largest_weight(tmp_path: Path) -> None:
    path = write_dic(
        tmp_path,
        "1\t.1\ta\tx\t1\t1\n1\t.1\tb\ty\t1\t1\n4\t.1\ta\tx\t1\t1\n3\t.1\ta\tx\t1\t1\n",
    )

    found = import_pairs(path, "en", "fi")

    assert [(e.source, e.target, e.weight) for e in found.entries] == [
        ("a", "x", 0.8),
        ("b", "y", 0.5),
    ]
    assert found.report.left_out == {"repeated": 2}
    assert found.report.left_out_text == "2 repeated"


def test_pairs_below_the_minimal_weight_are_left_out_and_counted(tmp_path: Path) -> None:
    found = import_pairs(write_opus(tmp_path), "en", "fi", min_weight=0.75)

    assert [entry.source for entry in found.entries] == ["dog", "river"]
    assert found.report.left_out == {"with a weight below 0.75": 1, "without a letter or digit": 1}


def test_nothing_left_is_an_error_that_says_why(tmp_path: Path) -> None:
    path = write_dic(tmp_path, "1\t.1\t(\tx\t1\t1\n")

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi")
    assert error.value.problem == (
        "no pair en-fi was found in this opus resource; left out: 1 with parentheses inside; most "
        "frequent languages in it: en-fi (1)"
    )


def test_the_ten_most_frequent_pairs_are_listed_with_their_counts(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    codes = ["sv", "da", "sv", *(f"a{letter}" for letter in "abcdefghijklm")]
    path.write_text(json_lines({"sl": "en", "tl": c, "src": "a", "trgs": ["b"]} for c in codes))

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi")
    listed = error.value.problem.partition("in it: ")[2]
    assert listed.startswith("en-sv (2), en-aa (1), en-ab (1), ")
    assert listed.endswith("en-ai (1) and 5 more")


def test_the_same_language_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as error:
        import_pairs(write_smol(tmp_path), "en", "eng")
    assert str(error.value) == ("'en' and 'eng' are the same language, expected two different ones")


def test_a_second_file_is_for_importers_that_join(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="smol reads one file: a second one is for CLDF"):
        import_pairs(write_smol(tmp_path), "en", "fi", other=tmp_path)


def test_an_unknown_importer_is_an_error_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownPluginError, match="no import plugin is called 'smoll'"):
        import_pairs(write_smol(tmp_path), "en", "fi", importer="smoll")


def test_an_importer_without_a_name_cannot_be_made() -> None:
    with pytest.raises(PluginError, match="must have a name, files and a summary"):
        Importer(name="", files="", summary="", sniff=lambda _: 0, read=lambda *_: iter(()))


def test_the_result_is_a_lexicon(tmp_path: Path) -> None:
    found = import_pairs(write_smol(tmp_path), "en", "fi")

    assert isinstance(found.lexicon, Lexicon)
    assert found.lexicon.translations["dog"] == ("koira",)
    assert len(found) == 3
    assert repr(found) == (
        "ImportedPairs(3 pairs en-fi: dog → koira, hot dog → hodari, river → joki)"
    )


def test_the_manifest_has_license_languages_counts_and_hashes(tmp_path: Path) -> None:
    path = write_smol(tmp_path)
    output = tmp_path / "seeds.tsv"

    write_imported(import_pairs(path, "eng", "fin"), output, [path])

    record = json.loads((tmp_path / "seeds.tsv.manifest.json").read_text())
    assert record["license"] == "CC-BY-4.0"
    assert (record["source_language"], record["target_language"]) == ("en", "fi")
    assert record["entries"] == 3
    assert record["sha256"] == {"seeds.tsv": sha256_of(output)}
    assert record["manifest"]["import"]["left_out"] == {"documents": 1}
    assert record["manifest"]["resources"] == {"gatitos.jsonl": sha256_of(path)}
    assert read_dictionary(output).metadata.license == "CC-BY-4.0"


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    path = write_smol(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_imported(import_pairs(path, "en", "fi"), tmp_path / name / "seeds.tsv", [path])

    for name in ("seeds.tsv", "seeds.tsv.manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(1, 9))))
def test_distinct_pairs_keep_their_order_and_largest_weight(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]]
) -> None:
    rows = [("first", "ensin", 1), *rows]
    text = "".join(f"{count}\t1\t{s}\t{t}\t1\t1\n" for s, t, count in rows)
    path = write_dic(tmp_path_factory.mktemp("dic"), text)

    found = import_pairs(path, "en", "fi")

    largest: dict[tuple[str, str], int] = {}
    for source, target, count in rows:
        largest[source, target] = max(count, largest.get((source, target), 0))
    assert [(e.source, e.target) for e in found.entries] == list(largest)
    assert [e.weight for e in found.entries] == [n / (n + 1) for n in largest.values()]
    assert found.report.left_out.get("repeated", 0) == len(rows) - len(largest)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GNU General Public License ver. 2.0 and any later version", "GPL-2.0-or-later"),
        ("GNU GENERAL PUBLIC LICENSE, version 2.0.", "GPL-2.0-only"),
        ("GPLv3+", "GPL-3.0-or-later"),
        ("Creative Commons Attribution-ShareAlike 3.0 Unported license", "CC-BY-SA-3.0"),
        ("the Creative Commons Attribution-Share Alike Licence (V3.0).", "CC-BY-SA-3.0"),
        ("https://creativecommons.org/licenses/by-nc/4.0/", "CC-BY-NC-4.0"),
        ("CC BY 4.0", "CC-BY-4.0"),
        ("CC0", "CC0-1.0"),
        ("GPLv2+ or CC BY-SA 3.0", "several (CC-BY-SA-3.0, GPL-2.0-or-later): see the file"),
        (" All rights\n reserved ", "All rights reserved"),
        ("", ""),
    ],
)
def test_licenses_in_words_become_identifiers(text: str, found: str) -> None:
    assert license_id(text) == found


def test_only_so_many_languages_are_counted_apart() -> None:
    tally = Tally()
    for number in range(20_000):
        tally.saw(str(number))
    tally.saw("0")

    assert len(tally.found) == 10_000
    assert tally.found["0"] == 2
