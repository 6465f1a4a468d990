"""What the columns of a table are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons import read_lexicon
from bilex.lexicons.columns import Columns, find_columns, header_roles, is_header
from bilex.lexicons.entries import RowProblem


@pytest.mark.parametrize(
    ("cells", "roles"),
    [
        (("source", "target"), ("source", "target")),
        (("Target", "POS", "Source"), ("target", "", "source")),
        (("English", "French"), ("source", "target")),
        (("français", "Deutsch"), ("source", "target")),
        (("EN", "ES"), ("source", "target")),
        (("en", "fr"), ("source", "target")),
        (("eng", "fra"), ("source", "target")),
        (("en", "es", "POS"), ("source", "target", "")),
        (("English word", "French (FR) 1", "French 2"), ("source", "target", "target")),
        (("ID", "English", "French"), ("", "source", "target")),
        (("English", "Translation"), ("source", "target")),
        (("Lemma", "Suomi"), ("source", "target")),
        (("English", "French", "Weight", "Review"), ("source", "target", "weight", "review")),
        (("English", "French", "Source"), ("source", "target", "provenance")),
        (("source", "target", "origin", "provenance"), ("source", "target", "", "provenance")),
        (("is", "et"), None),
        (("en", "es"), None),
        (("english", "anglais"), None),
        (("id", "carte", "identité"), None),
        (("notes", "notes", "remarques"), None),
        (("source", "source"), None),
        (("dog", "chien"), None),
        (("no", "non"), None),
    ],
)
def test_a_header_is_known_by_its_names(
    cells: tuple[str, ...], roles: tuple[str, ...] | None
) -> None:
    assert header_roles(cells) == roles
    assert is_header(cells) == (roles is not None)


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (
            ("English", "French", "Spanish"),
            "the header names the languages English, French, Spanish: choose two, for example "
            "--columns source=English,target=French",
        ),
        (("source", "source", "target"), "the header names 2 source columns, expected 1"),
        (("English", "English", "French"), "the header names 2 source columns, expected 1"),
    ],
)
def test_a_header_that_is_not_clear_is_an_error(cells: tuple[str, ...], problem: str) -> None:
    with pytest.raises(RowProblem) as caught:
        header_roles(cells)

    assert str(caught.value) == problem
    assert is_header(cells)


def without_header(rows: list[tuple[str, ...]]) -> Columns:
    return find_columns(rows, choice=None, ragged=True)


@pytest.mark.parametrize(
    ("rows", "roles", "ignored"),
    [
        ([("dog", "chien", "n."), ("go", "aller", "v. tr.")], "st-", "parts of speech"),
        ([("dog", "chien", "12"), ("go", "aller", "3")], "st-", "numbers"),
        ([("1", "dog", "chien"), ("2", "go", "aller")], "-st", "numbers"),
        ([("a1", "dog", "chien", "n"), ("a2", "go", "aller", "v")], "-st-", "numbers"),
        ([("dog", "chien", "a pet, kept at home"), ("go", "aller", "")], "st-", "notes"),
        ([("dog", "chien", "chienne"), ("go", "aller", "")], "stt", None),
        ([("five", "5", "5"), ("six", "6", "6.0")], "stt", None),
        ([(f"w{n}", f"t{n}", ("lit", "dial")[n % 2]) for n in range(30)], "st-", "few different"),
        ([(f"w{n}", f"t{n}", ("lit", "dial")[n % 2]) for n in range(10)], "stt", None),
        ([(f"w{n}", f"t{n % 3}") for n in range(30)], "st", None),
    ],
)
def test_columns_without_a_header_are_known_by_their_content(
    rows: list[tuple[str, ...]], roles: str, ignored: str | None
) -> None:
    found = without_header(rows)

    assert "".join(role[:1] or "-" for role in found.roles) == roles
    assert not found.has_header
    assert bool(found.ignored) == (ignored is not None)
    if ignored is not None:
        assert found.ignored[0][1].startswith(ignored)


def test_numbers_beside_words_may_be_weights(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("dog\tchien\t0.9\ncat\tchat\t0.8\n")
    lexicon = read_lexicon(path)

    assert lexicon.report is not None
    assert lexicon.report.notes == (
        "not used: column 3 (numbers)",
        "if column 3 holds weights: --columns source=1,target=2,weight=3",
    )
    chosen = read_lexicon(path, columns="source=1,target=2,weight=3")
    assert [entry.weight for entry in chosen.entries] == [0.9, 0.8]


def test_lists_of_a_lexicon_that_bilex_wrote_are_words(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("source,target\ndog,chien; chienne\n")
    assert read_lexicon(path).translations == {"dog": ("chien; chienne",)}

    split = read_lexicon(path, columns="source=source,target=target")
    assert split.translations == {"dog": ("chien", "chienne")}


def test_a_row_with_more_cells_than_the_header_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("English,French\ndog,chien\nwell, yes,eh bien\n")
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert (caught.value.line, caught.value.problem[:38]) == (
        3,
        "found 3 columns, the header has 2: a w",
    )


def test_semicolons_separate_columns_where_commas_separate_words(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("dog;chien, chienne\ncat;chat, chatte\n")

    assert read_lexicon(path).translations == {
        "dog": ("chien", "chienne"),
        "cat": ("chat", "chatte"),
    }


@pytest.mark.parametrize("text", ["9" * 100_000, " " * 100_000 + "x", "é" * 100_000, ";" * 100_000])
def test_long_cells_take_no_time(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f'dog,chien\ncat,"{text} a"\n'.encode("cp1252"))

    assert read_lexicon(path).entries[0][:2] == ("dog", "chien")
