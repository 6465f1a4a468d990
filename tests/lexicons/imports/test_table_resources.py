"""PanLex, CLDF and OPUS."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons.imports import import_pairs
from import_resources import (
    CLDF,
    EXPECTED,
    PANLEX,
    cldf_metadata,
    write_cldf,
    write_opus,
    write_panlex,
    write_zipped_panlex,
)


def pairs(path: Path, source: str = "en", target: str = "fi") -> list[tuple[str, str]]:
    found = import_pairs(path, source, target)
    return [(one.source, one.target) for one in found.entries]


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# PanLex.


def test_the_score_sums_the_best_quality_of_each_group(tmp_path: Path) -> None:
    found = import_pairs(write_panlex(tmp_path), "en", "fi")

    # dog: 7 of the first group (7 and 3) and 5; hot dog: 5; river: 0, which counts as 0.5.
    assert [one.weight for one in found.entries] == [1, 5 / 12, 0.5 / 12]
    assert [one.provenance for one in found.entries] == [
        "panlex:fin-eng:One",
        "panlex:fin-eng:Two",
        "panlex:fin-eng:Bad",
    ]


def test_a_zip_archive_is_read_without_unpacking(tmp_path: Path) -> None:
    assert pairs(write_zipped_panlex(tmp_path)) == list(EXPECTED)


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    write_panlex(tmp_path)
    rows = [line.split(",") for line in PANLEX["meaning.csv"].splitlines()]
    text = "".join(f"x,{source},{number}\n" for number, source in rows)
    (tmp_path / "meaning.csv").write_text(text.replace("x,", "other,", 1))

    assert pairs(tmp_path) == list(EXPECTED)


def test_a_meaning_without_source_counts_least(tmp_path: Path) -> None:
    write_panlex(tmp_path)
    rewrite(tmp_path / "meaning.csv", "14,4\n", "")

    found = import_pairs(tmp_path, "en", "fi")

    assert found.entries[2][1:] == ("joki", 0.5 / 12, "panlex")


def test_a_meaning_of_very_many_words_is_left_out(tmp_path: Path) -> None:
    write_panlex(tmp_path)
    with (
        (tmp_path / "expr.csv").open("a") as words,
        (tmp_path / "denotation.csv").open("a") as uses,
    ):
        for number in range(100, 302):
            words.write(f"{number},{187 if number % 2 else 199},w{number},w\n")
            uses.write(f"{number},99,{number}\n")

    found = import_pairs(tmp_path, "en", "fi")

    assert len(found) == len(EXPECTED)
    assert found.report.left_out == {"meanings with more than 10,000 pairs": 1}


@pytest.mark.parametrize(
    ("name", "old", "new", "problem", "line"),
    [
        ("expr.csv", "langvar", "lv", "no column 'langvar', found 'id', 'lv', 'txt'", 1),
        ("expr.csv", "2,199,koira,koira", "x,199,koira,koira", "found 'x', expected a number", 3),
        ("expr.csv", "2,199,koira,koira", "2", "found 1 columns, expected 4", 3),
        ("denotation.csv", "2,10,2", "2,10,-2", "found '-2' in this or an earlier row", None),
        ("source.csv", ",7,", ",high,", "found 'high', expected a number", 2),
        ("meaning.csv", PANLEX["meaning.csv"], "", "the file is empty, expected a header", None),
        ("langvar.csv", "187,eng", '"187,eng', "not valid CSV", None),
    ],
)
def test_a_damaged_table_is_an_error(
    tmp_path: Path, name: str, old: str, new: str, problem: str, line: int | None
) -> None:
    write_panlex(tmp_path)
    rewrite(tmp_path / name, old, new)

    with pytest.raises(LexiconFileError, match=problem) as error:
        import_pairs(tmp_path, "en", "fi")
    assert error.value.path == tmp_path / name
    assert line is None or error.value.line == line


# CLDF.


def test_the_folder_of_a_word_list_can_be_given(tmp_path: Path) -> None:
    write_cldf(tmp_path)

    assert pairs(tmp_path) == list(EXPECTED)


def test_a_transcription_gives_way_to_the_value(tmp_path: Path) -> None:
    report = import_pairs(write_cldf(tmp_path), "en", "fi").report

    assert report.changed == {"spelled as in Value, since Form is a transcription": 1}
    assert report.license == "CC-BY-4.0"


@pytest.mark.parametrize(
    ("value", "form", "spelling"),
    [
        ("dog", "dɒɡ", "dog"),
        ("собака", "sobaka", "собака"),
        ("Dog!", "dog", "dog"),
        ("", "dɒɡ", "dɒɡ"),
        ("ɛto", "ɛto", "ɛto"),
        ("ɛto", "eto", "eto"),
    ],
)
def test_the_spelling_is_the_form_unless_it_is_a_transcription(
    tmp_path: Path, value: str, form: str, spelling: str
) -> None:
    path = write_cldf(tmp_path)
    rewrite(tmp_path / "forms.csv", "dog,dog,dɒɡ", f"dog,{value},{form}")

    assert pairs(path)[0] == (spelling, "koira")


def test_a_value_of_several_words_is_left_out(tmp_path: Path) -> None:
    path = write_cldf(tmp_path)
    rewrite(tmp_path / "forms.csv", "dog,dog,dɒɡ", 'dog,"dog, hound",dɒɡ')

    report = import_pairs(path, "en", "fi").report

    assert report.left_out == {"transcribed forms whose value lists several words": 1}


def test_glottolog_codes_choose_languages(tmp_path: Path) -> None:
    assert pairs(write_cldf(tmp_path), "stan1293", "finn1318") == list(EXPECTED)


def test_without_a_table_of_languages_their_names_are_codes(tmp_path: Path) -> None:
    path = write_cldf(tmp_path)
    metadata = cldf_metadata()
    tables = metadata["tables"]
    assert isinstance(tables, list)
    del tables[1]
    path.write_text(json.dumps(metadata))
    rewrite(tmp_path / "forms.csv", "English", "eng")

    assert pairs(path, "en", "Suomi") == list(EXPECTED)


def test_two_word_lists_are_paired_by_their_concepts(tmp_path: Path) -> None:
    for name, language in (("one", "Suomi"), ("two", "English")):
        (tmp_path / name).mkdir()
        write_cldf(tmp_path / name)
        rows = CLDF["forms.csv"].splitlines(keepends=True)
        kept = [row for row in rows if f",{language}," not in row]
        (tmp_path / name / "forms.csv").write_text("".join(kept), encoding="utf-8")
    for file in ("forms.csv", "parameters.csv"):  # the second list calls its concepts otherwise
        text = (tmp_path / "two" / file).read_text().replace("hotdog,", "HD,")
        (tmp_path / "two" / file).write_text(text.replace("dog,2009", "DOG,2009"))
    rewrite(tmp_path / "two" / "forms.csv", "Suomi,dog", "Suomi,DOG")

    found = import_pairs(tmp_path / "one", "en", "fi", other=tmp_path / "two")

    assert [(one.source, one.target) for one in found.entries] == list(EXPECTED)
    assert found.entries[0].provenance == "cldf:swadesh+swadesh"


def test_forms_without_a_concept_are_counted_in_a_join(tmp_path: Path) -> None:
    path = write_cldf(tmp_path)
    rewrite(tmp_path / "parameters.csv", "dog,2009", "dog,")

    found = import_pairs(path, "en", "fi", other=path)

    assert found.report.left_out == {"forms without a Concepticon concept": 4}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"forms.csv"', '"../forms.csv"', "the file of a table is '../forms.csv', expected a name"),
        ('"forms.csv"', '"/etc/passwd"', "the file of a table is '/etc/passwd', expected a name"),
        ('"forms.csv"', '"\\ud800"', "the file of a table is '.ud800', expected a name"),
        ('"forms.csv"', '"none.csv"', "cannot be read: No such file"),
        ("FormTable", "CognateTable", "has no FormTable: is it a word list?"),
        ("languageReference", "x", "the FormTable has no column for 'languageReference'"),
        ('"Language_ID"', '"Lang"', "no column 'Lang', found 'ID', 'Language_ID'"),
        ('"rdf:ID"', '"dialect": {"delimiter": "x"}, "rdf:ID"', "unknown delimiter 'x'"),
        ("{", "", "not valid JSON"),
    ],
)
def test_damaged_metadata_are_an_error(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = write_cldf(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))

    with pytest.raises(LexiconFileError, match=problem):
        import_pairs(path, "en", "fi", importer="cldf")


def test_a_folder_of_two_word_lists_needs_the_name_of_one(tmp_path: Path) -> None:
    path = write_cldf(tmp_path)
    path.with_name("b-metadata.json").write_text(path.read_text())

    with pytest.raises(LexiconFileError, match="found 2 files ending in"):
        import_pairs(tmp_path, "en", "fi")


# OPUS.


def test_the_weight_grows_with_the_count(tmp_path: Path) -> None:
    found = import_pairs(write_opus(tmp_path), "en", "fi")

    assert [one.weight for one in found.entries] == [0.9, 0.5, 0.75]


def test_columns_may_be_separated_by_spaces(tmp_path: Path) -> None:
    path = tmp_path / "en-fi.dic"
    path.write_text("  12 0.3 dog koira 0.5 0.5\n\n")

    assert pairs(path) == [("dog", "koira")]


def test_a_name_without_languages_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "words.dic"
    path.write_text("1\t1\tdog\tkoira\t1\t1\n")

    assert import_pairs(path, "en", "fi").report.notes == (
        "The file does not say its languages: the first word of each pair is assumed to be en, "
        "the second fi.",
    )


def test_a_row_of_another_form_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "en-fi.dic"
    path.write_text("1\t1\tdog\tkoira\t1\t1\nx\t1\tdog\tkoira\t1\t1\n")

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi", importer="opus")
    assert str(error.value) == (
        f"{path}, line 2: found 'x\\t1\\tdog\\tkoira\\t1\\t1', expected count, score, source, "
        "target and two probabilities separated by tabs"
    )


# Zip archives.


def test_a_damaged_or_incomplete_archive_is_an_error(tmp_path: Path) -> None:
    path = write_zipped_panlex(tmp_path)
    whole = path.read_bytes()
    for start in range(0, len(whole), 17):
        damaged = bytearray(whole)
        damaged[start] ^= 0xFF
        path.write_bytes(damaged)
        with suppress(LexiconFileError):
            assert import_pairs(path, "en", "fi", importer="panlex").entries


def test_an_archive_without_a_table_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("expr.csv", "id\n")

    with pytest.raises(LexiconFileError) as error:
        import_pairs(path, "en", "fi", importer="panlex")
    assert error.value.problem == "found 0 files called langvar.csv, expected one"
