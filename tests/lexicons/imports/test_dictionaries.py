"""FreeDict in TEI and for dictd, Apertium and LIFT."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons import DictionaryEntry, write_dictionary
from bilex.lexicons.imports import import_pairs
from import_resources import (
    ARTICLES,
    EXPECTED,
    TEI,
    dictd_number,
    write_apertium,
    write_dictd,
    write_freedict,
    write_lift,
)

DEBIAN = Path("/usr/share/dictd/freedict-eng-fra.index")


def pairs(path: Path, source: str = "en", target: str = "fi") -> list[tuple[str, str]]:
    found = import_pairs(path, source, target)
    return [(one.source, one.target) for one in found.entries]


# FreeDict in TEI.


def test_the_license_is_that_of_the_header(tmp_path: Path) -> None:
    found = import_pairs(write_freedict(tmp_path), "en", "fi")

    assert found.report.license == "GPL-2.0-or-later"
    assert found.entries[0].provenance == "freedict:eng-fin"
    assert found.report.left_out == {"without a word": 1}


def test_a_translation_into_a_third_language_is_found_by_its_code(tmp_path: Path) -> None:
    assert pairs(write_freedict(tmp_path), "en", "sv") == [("river", "å")]


def test_what_a_file_does_not_say_is_taken_for_what_was_requested(tmp_path: Path) -> None:
    path = write_freedict(tmp_path).rename(tmp_path / "words.tei")

    found = import_pairs(path, "en", "fi")

    assert [(one.source, one.target) for one in found.entries] == list(EXPECTED)
    assert found.entries[0].provenance == "freedict"
    assert found.report.notes == (
        "The file does not say all its languages: the requested ones are assumed for the others.",
    )


def split_in_two(folder: Path, href: str) -> Path:
    path = write_freedict(folder)
    first, river = TEI.index("<entry><form><orth>hot dog"), TEI.index("<entry><form><orth>river")
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{href}"/>'
    path.write_text(TEI[:first] + include + TEI[river:], encoding="utf-8")
    (folder / "letters").mkdir()
    body = f'<div xmlns="http://www.tei-c.org/ns/1.0">{TEI[first:river]}</div>'
    (folder / "letters" / "h.xml").write_text(body, encoding="utf-8")
    return path


def test_a_file_beside_it_is_included_in_its_place(tmp_path: Path) -> None:
    assert pairs(split_in_two(tmp_path, "letters/h.xml")) == list(EXPECTED)


@pytest.mark.parametrize(
    "href",
    ["../h.xml", "/etc/passwd", "http://example.org/h.xml", "file:///etc/passwd", "none.xml"],
)
def test_no_other_file_is_included(tmp_path: Path, href: str) -> None:
    (tmp_path / "h.xml").write_text("<div/>")
    (tmp_path / "inside").mkdir()
    path = split_in_two(tmp_path / "inside", href)

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi")
    assert error.value.problem == (
        f"includes {href!r}, expected a file in the folder of the dictionary"
    )


def test_a_file_that_includes_itself_is_read_once(tmp_path: Path) -> None:
    path = split_in_two(tmp_path, "letters/h.xml")
    inner = tmp_path / "letters" / "h.xml"
    loop = '<include href="h.xml"/><include href="../eng-fin.tei"/></div>'
    inner.write_text(inner.read_text().replace("</div>", loop))

    assert pairs(path) == list(EXPECTED)


def test_an_entity_is_an_error(tmp_path: Path) -> None:
    path = write_freedict(tmp_path)
    path.write_text(TEI.replace("<TEI", '<!DOCTYPE TEI [<!ENTITY a "b">]><TEI', 1))

    with pytest.raises(LexiconFileError, match="declares the entity 'a'"):
        import_pairs(path, "en", "fi", importer="freedict")


def test_what_bilex_writes_is_imported(tmp_path: Path) -> None:
    for name in ("eng-fin.tei", "eng-fin.dix"):
        entries = [DictionaryEntry(source, target, 0.5) for source, target in EXPECTED]
        write_dictionary(entries, tmp_path / name)

        found = import_pairs(tmp_path / name, "en", "fi")

        assert [(one.source, one.target) for one in found.entries] == list(EXPECTED)
        if name.endswith("dix"):
            assert [one.weight for one in found.entries] == pytest.approx([0.5] * 3, abs=1e-6)


# FreeDict for dictd.


@pytest.mark.parametrize("name", ["freedict-eng-fin.index", "freedict-eng-fin.dict.dz"])
def test_either_of_the_two_files_can_be_given(tmp_path: Path, name: str) -> None:
    write_dictd(tmp_path)

    found = import_pairs(tmp_path / name, "en", "fi")

    assert [(one.source, one.target) for one in found.entries] == list(EXPECTED)
    assert found.report.license == "CC-BY-SA-3.0"
    assert found.report.entries == len(ARTICLES) - 1
    assert found.report.left_out == {
        "articles without a line of translations": 1,
        "lines with abbreviations": 2,
    }


def test_commas_separate_translations_except_in_parentheses(tmp_path: Path) -> None:
    article = "dog /x/ <n>\n1. koira (a, b), hauva; rakki <m> [x, y]\n2. piski\n"
    data = article.encode()
    (tmp_path / "eng-fin.dict").write_bytes(data)
    (tmp_path / "eng-fin.index").write_text(f"dog\tA\t{dictd_number(len(data))}\n")

    assert pairs(tmp_path / "eng-fin.index") == [
        ("dog", "koira"),
        ("dog", "hauva"),
        ("dog", "rakki"),
        ("dog", "piski"),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("dog\tA\n", "expected headword, start and length separated by tabs"),
        ("dog\tA\té\n", "the position is 'é'"),
        ("dog\tA\tABCDEFGHI\n", "the position is 'ABCDEFGHI'"),
        ("dog\tA\t//////\n", "an article of 68,719,476,735 bytes: is it a dictionary?"),
        ("dog\tA\tBAA\n", "is shorter than its .index says: is the file cut short?"),
        ("dog\t/////\tB\n", "is shorter than its .index says: is the file cut short?"),
    ],
)
def test_a_damaged_index_is_an_error(tmp_path: Path, row: str, problem: str) -> None:
    (tmp_path / "eng-fin.dict").write_text("dog\nkoira\n")
    (tmp_path / "eng-fin.index").write_text(row, encoding="utf-8")

    with pytest.raises(LexiconFileError, match=re.escape(problem)):
        import_pairs(tmp_path / "eng-fin.index", "en", "fi")


def test_a_missing_half_is_an_error(tmp_path: Path) -> None:
    write_dictd(tmp_path).unlink()

    with pytest.raises(LexiconFileError, match="no such file; it belongs to freedict-eng-fin"):
        import_pairs(tmp_path / "freedict-eng-fin.dict.dz", "en", "fi", importer="dictd")


@pytest.mark.skipif(not DEBIAN.exists(), reason="needs the Debian package dict-freedict-eng-fra")
@pytest.mark.slow
def test_a_debian_dictionary_is_read() -> None:
    found = import_pairs(DEBIAN, "en", "fr")

    assert len(found) > 15_000
    assert found.lexicon.translations["accordion"] == ("accordéon",)
    assert sum(found.report.left_out.values()) < 10


# Apertium.


def test_entries_that_are_no_pairs_are_counted(tmp_path: Path) -> None:
    found = import_pairs(write_apertium(tmp_path), "en", "fi")

    assert found.report.left_out == {
        "with a paradigm or a regular expression": 2,
        "ignored by Apertium": 1,
        "of an unexpected form": 1,
        "of the other direction only": 1,
    }
    assert found.report.entries == 8
    assert found.entries[2].weight == pytest.approx(0.5)


@pytest.mark.parametrize("weight", ["0", "1e9", "-800", "nan", "x"])
def test_a_weight_is_always_a_number_above_0(tmp_path: Path, weight: str) -> None:
    path = write_apertium(tmp_path)
    path.write_text(path.read_text().replace("0.693147", weight))

    found = import_pairs(path, "en", "fi").entries[2].weight
    assert 0 < found < math.inf


@pytest.mark.skipif(shutil.which("lt-expand") is None, reason="needs lttoolbox")
def test_lt_expand_finds_the_same_pairs(tmp_path: Path) -> None:
    path = write_apertium(tmp_path)
    expanded = subprocess.run(  # noqa: S603
        ["lt-expand", str(path)],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    words = [re.sub("<[^>]*>|#", "", line) for line in expanded.splitlines()]
    forward = [line.replace(":>:", ":").split(":") for line in words if ":<:" not in line]
    ours = pairs(path)
    assert {tuple(pair) for pair in forward if len(pair) == 2} >= set(ours)
    assert len(ours) == len(EXPECTED)


# LIFT.


def test_definitions_and_transcriptions_are_no_words(tmp_path: Path) -> None:
    found = import_pairs(write_lift(tmp_path), "fi", "en")

    assert [(one.target, one.source) for one in found.entries] == list(EXPECTED)
    assert found.report.left_out == {"without a word": 1}


@pytest.mark.parametrize(
    ("importer", "expected"),
    [("lift", "<lift>"), ("freedict", "<TEI>"), ("apertium", "<dictionary>")],
)
def test_another_root_is_an_error(tmp_path: Path, importer: str, expected: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text("<html/>")

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi", importer=importer)
    assert str(error.value) == f"{path}, line 1: found <html>, expected {expected}"
