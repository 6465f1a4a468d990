"""What holds for every importer, on a small file of its resource."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons import read_lexicon
from bilex.lexicons.imports import (
    find_importer,
    import_pairs,
    installed_importers,
    recognize_importer,
    write_imported,
)
from bilex.lexicons.imports.tally import ImportedPairs
from import_resources import EXPECTED, WRITERS

EVERY_IMPORTER = pytest.mark.parametrize("name", sorted(WRITERS))


def words_of(found: ImportedPairs) -> list[tuple[str, str]]:
    return [(entry.source, entry.target) for entry in found.entries]


def test_there_is_a_file_for_every_installed_importer() -> None:
    assert sorted(WRITERS) == list(installed_importers())


@EVERY_IMPORTER
def test_its_file_is_recognized(name: str, tmp_path: Path) -> None:
    assert find_importer(WRITERS[name](tmp_path)).name == name


@EVERY_IMPORTER
def test_the_pairs_are_those_of_the_file_in_its_order(name: str, tmp_path: Path) -> None:
    found = import_pairs(WRITERS[name](tmp_path), "en", "fi")

    assert words_of(found) == list(EXPECTED)
    assert found.report.importer == name
    assert found.report.pairs == len(EXPECTED)
    assert found.report.entries >= len(EXPECTED)
    assert all(0 < entry.weight <= 1 for entry in found.entries)
    assert (found.source_language, found.target_language) == ("en", "fi")


@EVERY_IMPORTER
def test_codes_of_three_letters_find_the_same_pairs(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)

    assert import_pairs(path, "eng", "fin").entries == import_pairs(path, "en", "fi").entries


@EVERY_IMPORTER
def test_the_other_direction_swaps_the_words(name: str, tmp_path: Path) -> None:
    found = words_of(import_pairs(WRITERS[name](tmp_path), "fi", "en"))

    if name == "apertium":  # where entries may be of one direction only
        assert sorted(found) == [("joki", "river"), ("joki", "stream"), ("koira", "dog")]
    else:
        assert found == [(target, source) for source, target in EXPECTED]


@EVERY_IMPORTER
def test_a_pair_that_is_not_there_is_an_error_that_lists_languages(
    name: str, tmp_path: Path
) -> None:
    path = WRITERS[name](tmp_path)

    with pytest.raises(LexiconFileError, match="no pair de-zu was found in this") as error:
        import_pairs(path, "de", "zu")

    assert f"in this {name} resource" in error.value.problem
    assert "most frequent languages in it: " in error.value.problem
    assert "fi" in error.value.problem.partition("in it: ")[2]


@EVERY_IMPORTER
def test_the_written_file_is_read_back_as_a_lexicon(name: str, tmp_path: Path) -> None:
    found = import_pairs(WRITERS[name](tmp_path), "en", "fi")
    output = tmp_path / "out" / "seeds.tsv"

    write_imported(found, output)

    assert read_lexicon(output).entries == found.entries


@EVERY_IMPORTER
def test_progress_goes_up_to_all_bytes(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    steps: list[tuple[int, int]] = []

    import_pairs(path, "en", "fi", on_progress=lambda done, total: steps.append((done, total)))

    assert steps
    assert all(0 <= done <= total for done, total in steps)
    assert steps[-1][0] == steps[-1][1]


def test_a_file_of_no_resource_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("dog koira\n")

    assert recognize_importer(path) is None
    with pytest.raises(
        LexiconFileError, match="is not recognized, expected a file of one of"
    ) as error:
        import_pairs(path, "en", "fi")
    assert "apertium, cldf, dictd, freedict, lift, opus, panlex, smol" in error.value.problem


def test_a_missing_file_is_an_error_with_a_similar_name(tmp_path: Path) -> None:
    (tmp_path / "words.lift").write_text("")

    with pytest.raises(LexiconFileError) as error:
        import_pairs(tmp_path / "word.lift", "en", "fi")
    assert error.value.problem == "no such file (did you mean 'words.lift'?)"
