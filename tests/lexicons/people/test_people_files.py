"""Lexicons as people make them: each is read, and its summary says what was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.errors import LexiconFileError, SettingError
from bilex.lexicons import read_lexicon, summarize
from bilex.values import Entry, LexiconReport

FILES = Path(__file__).parent / "files"

SUMMARIES = {
    "arabic.csv": (
        3,
        "(CSV, columns English → Arabic): 3 rows read, 3 pairs",
    ),
    "articles.csv": (
        6,
        "(CSV, columns English → French): "
        "6 rows read, 6 pairs, 1 translation with a comma or semicolon not "
        "split",
    ),
    "byte-order-mark.csv": (
        2,
        "(CSV, columns English → French): 2 rows read, 2 pairs",
    ),
    "codes-of-three-letters.csv": (
        2,
        "(CSV, columns eng → fra): 2 rows read, 2 pairs; not used: column pos",
    ),
    "codes.tsv": (
        2,
        "(TSV, columns EN → FR): 2 rows read, 2 pairs",
    ),
    "comments.csv": (
        2,
        "(CSV, columns English → French): 4 rows read, 2 pairs; left out: 2 comments (lines 1, 4)",
    ),
    "comments.txt": (
        3,
        "(MUSE): 5 rows read, 3 pairs; left out: 2 comments (lines 1, 4)",
    ),
    "decimal-commas.csv": (
        2,
        "(CSV, columns English → Français): 2 rows read, 2 pairs, 2 weights with a decimal comma",
    ),
    "empty-cells.csv": (
        2,
        "(CSV, columns English → French): "
        "4 rows read, 2 pairs; not used: column Notes; left out: 1 row without "
        "a translation (line 3), 1 row without a source word (line 4)",
    ),
    "excel-rest.csv": (
        2,
        "(CSV, columns English → French): 2 rows read, 2 pairs",
    ),
    "excel-unicode-text.txt": (
        2,
        "(TSV, UTF-16, columns English → French): 2 rows read, 2 pairs",
    ),
    "header-of-names.txt": (
        2,
        "(MUSE): 2 rows read, 2 pairs",
    ),
    "ids-without-header.csv": (
        10,
        "(CSV, columns 2 → 3): 10 rows read, 10 pairs; not used: column 1 (numbers)",
    ),
    "ids.csv": (
        10,
        "(CSV, columns English → French): 10 rows read, 10 pairs; not used: column ID",
    ),
    "induced.tsv": (
        2,
        "(TSV, columns source → target): "
        "5 rows read, 2 pairs; --unreviewed also uses induced entries; left "
        "out: 3 induced entries that nobody reviewed (lines 2, 3, 6)",
    ),
    "induced.xlsx": (
        2,
        "(Excel, sheet en-fr, columns source → target): "
        "5 rows read, 2 pairs; --unreviewed also uses induced entries; left "
        "out: 3 induced entries that nobody reviewed (lines 2, 3, 6)",
    ),
    "latin-1.txt": (
        10,
        "(TSV, Windows-1252): 10 rows read, 10 pairs",
    ),
    "libreoffice-list.csv": (
        10,
        "(CSV, Windows-1252, columns English → French): "
        "10 rows read, 10 pairs; not used: column Part of speech",
    ),
    "libreoffice-list.ods": (
        10,
        "(OpenDocument, sheet Wörter, columns English → French): "
        "10 rows read, 10 pairs; not used: column Part of speech",
    ),
    "libreoffice-list.xlsx": (
        10,
        "(Excel, sheet Wörter, columns English → French): "
        "10 rows read, 10 pairs; not used: column Part of speech",
    ),
    "libreoffice-lists.csv": (
        10,
        "(CSV, Windows-1252, columns English → French): "
        "6 rows read, 10 pairs, 3 cells with several translations split, 1 "
        "translation with a comma or semicolon not split",
    ),
    "libreoffice-lists.xlsx": (
        10,
        "(Excel, sheet Sheet1, columns English → French): "
        "6 rows read, 10 pairs, 3 cells with several translations split, 1 "
        "translation with a comma or semicolon not split",
    ),
    "libreoffice-numbers.ods": (
        2,
        "(OpenDocument, sheet Sheet1, columns English → French): 2 rows read, 2 pairs",
    ),
    "libreoffice-numbers.xlsx": (
        2,
        "(Excel, sheet Sheet1, columns English → French): 2 rows read, 2 pairs",
    ),
    "libreoffice-reviewed.ods": (
        3,
        "(OpenDocument, sheet en-fr, columns source → target): "
        "5 rows read, 3 pairs, 1 marked right by a reviewer; --unreviewed also "
        "uses induced entries; left out: 1 row marked wrong (line 3), 1 induced "
        "entry that nobody reviewed (line 6)",
    ),
    "libreoffice-reviewed.xlsx": (
        3,
        "(Excel, sheet en-fr, columns source → target): "
        "5 rows read, 3 pairs, 1 marked right by a reviewer; --unreviewed also "
        "uses induced entries; left out: 1 row marked wrong (line 3), 1 induced "
        "entry that nobody reviewed (line 6)",
    ),
    "libreoffice-second-sheet.ods": (
        2,
        "(OpenDocument, sheet en-fr, columns English → French): "
        "2 rows read, 2 pairs; not used: column No.",
    ),
    "libreoffice-second-sheet.xlsx": (
        2,
        "(Excel, sheet en-fr, columns English → French): "
        "2 rows read, 2 pairs; not used: column No.",
    ),
    "libreoffice-title-above.csv": (
        10,
        "(CSV, Windows-1252, columns English → French): "
        "11 rows read, 10 pairs; left out: 1 row without a translation (line 1)",
    ),
    "libreoffice-title-above.ods": (
        10,
        "(OpenDocument, sheet Sheet1, columns English → French): "
        "11 rows read, 10 pairs; left out: 1 row without a translation (line 1)",
    ),
    "lists-with-semicolons.tsv": (
        5,
        "(TSV): "
        "3 rows read, 5 pairs, 2 cells with several translations split, 1 "
        "translation with a comma or semicolon not split",
    ),
    "lists-with-slashes.csv": (
        4,
        "(CSV, columns Wort → Traduction): "
        "3 rows read, 4 pairs, 1 cell with several translations split",
    ),
    "lists.csv": (
        10,
        "(CSV, columns English → French): "
        "6 rows read, 10 pairs, 3 cells with several translations split, 1 "
        "translation with a comma or semicolon not split",
    ),
    "notes-in-quotes.csv": (
        2,
        "(CSV, columns English → French): 2 rows read, 2 pairs; not used: column Notes",
    ),
    "own-names.csv": (
        2,
        "(CSV, columns Deutsch → Español): 2 rows read, 2 pairs; not used: column Anmerkung",
    ),
    "pos-without-header.tsv": (
        10,
        "(TSV, columns 1 → 2): 10 rows read, 10 pairs; not used: column 3 (parts of speech)",
    ),
    "pos.csv": (
        10,
        "(CSV, columns English → French): 10 rows read, 10 pairs; not used: column Part of speech",
    ),
    "several-columns.tsv": (
        6,
        "(TSV): 3 rows read, 6 pairs",
    ),
    "short-rows.csv": (
        2,
        "(CSV, columns English → French): "
        "3 rows read, 2 pairs; not used: column Notes; left out: 1 row without "
        "a translation (line 4)",
    ),
    "sources.csv": (
        2,
        "(CSV, columns English → French): 2 rows read, 2 pairs",
    ),
    "swapped.csv": (
        2,
        "(CSV, columns French → English): 2 rows read, 2 pairs",
    ),
    "two-translations.csv": (
        3,
        "(CSV, columns English → French 1, French 2): 2 rows read, 3 pairs",
    ),
    "unknown-names.csv": (
        2,
        "(CSV, columns Lemma (dial.) → Ital.): 2 rows read, 2 pairs; not used: column Nr",
    ),
    "weights-pos.csv": (
        2,
        "(CSV, columns source → target): 2 rows read, 2 pairs; not used: column pos",
    ),
    "windows-1250.csv": (
        3,
        "(CSV, Windows-1250, columns English → Polski): 3 rows read, 3 pairs",
    ),
    "windows-1251.csv": (
        3,
        "(CSV, Windows-1251, columns English → Русский): 3 rows read, 3 pairs",
    ),
    "windows-1252.csv": (
        11,
        "(CSV, Windows-1252, columns English → French): 11 rows read, 11 pairs",
    ),
}


def report_of(name: str) -> LexiconReport:
    report = read_lexicon(FILES / name).report
    assert report is not None
    return report


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_file_is_read_and_its_summary_says_how(name: str) -> None:
    lexicon = read_lexicon(FILES / name)

    assert lexicon.report is not None
    pairs, summary = SUMMARIES[name]
    assert (len(lexicon), summarize(name, lexicon.report)) == (pairs, f"{name} {summary}")


def test_every_file_has_its_test() -> None:
    assert {path.name for path in FILES.iterdir()} == {*SUMMARIES, "three-languages.csv"}


def test_counts_add_up_in_every_file() -> None:
    for name in SUMMARIES:
        report = report_of(name)
        unused = {row.line for row in report.left_out}
        assert len(report.entry_lines) == report.entries
        assert report.rows == len(unused | set(report.entry_lines))


@pytest.mark.parametrize(
    "names",
    [
        ("libreoffice-list.xlsx", "libreoffice-list.ods", "libreoffice-list.csv", "pos.csv"),
        ("libreoffice-lists.xlsx", "libreoffice-lists.csv", "lists.csv"),
        ("libreoffice-title-above.ods", "libreoffice-title-above.csv", "windows-1252.csv"),
        ("libreoffice-numbers.ods", "libreoffice-numbers.xlsx"),
        ("libreoffice-reviewed.ods", "libreoffice-reviewed.xlsx"),
    ],
)
def test_the_same_list_gives_the_same_pairs(names: tuple[str, ...]) -> None:
    first, *others = (read_lexicon(FILES / name).entries for name in names)

    assert all(other[: len(first)] == first for other in others)


def test_a_list_in_a_cell_becomes_several_pairs() -> None:
    assert read_lexicon(FILES / "lists.csv").translations == {
        "symbol": ("symbole", "signe"),
        "dog": ("chien",),
        "child": ("enfant", "gamin", "gosse"),
        "beautiful": ("beau", "belle"),
        "house": ("maison",),
        "well, yes": ("eh bien, d'accord mon très cher ami",),
    }


def test_weights_with_decimal_commas_are_numbers() -> None:
    weights = [entry.weight for entry in read_lexicon(FILES / "decimal-commas.csv").entries]

    assert weights == [0.5, 1.25]


def test_a_column_named_source_beside_two_languages_is_the_provenance() -> None:
    assert read_lexicon(FILES / "sources.csv").entries[0] == Entry("dog", "chien", 1, "Smith 1990")


def test_three_languages_are_an_error_until_two_are_chosen() -> None:
    path = FILES / "three-languages.csv"
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert (caught.value.line, caught.value.problem) == (
        1,
        "the header names the languages English, French, Spanish: choose two, for example "
        "--columns source=English,target=French",
    )
    chosen = read_lexicon(path, columns="source=Spanish,target=French")
    assert chosen.translations == {"perro": ("chien",), "mar": ("mer",)}
    assert chosen.report is not None
    assert chosen.report.ignored_columns == ("English",)


@pytest.mark.parametrize(
    ("name", "columns", "pairs"),
    [
        ("swapped.csv", "source=English,target=French", [("dog", "chien"), ("sea", "mer")]),
        ("swapped.csv", "source=2,target=1", [("dog", "chien"), ("sea", "mer")]),
        ("swapped.csv", "source=english, target=1", [("dog", "chien"), ("sea", "mer")]),
        ("unknown-names.csv", "source=3,target=2", [("cane", "hund"), ("gatto", "katz")]),
        ("two-translations.csv", "source=1,target=3", [("dog", "chienne")]),
        ("several-columns.tsv", "source=1,target=2", [("abuse", "touell"), ("a lot", "kalz"),
                                                     ("sea", "mor")]),
    ],
)  # fmt: skip
def test_columns_can_be_chosen(name: str, columns: str, pairs: list[tuple[str, str]]) -> None:
    assert [e[:2] for e in read_lexicon(FILES / name, columns=columns).entries] == pairs


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (
            "source",
            "--columns has 'source': expected a role (source, target, weight, provenance), an "
            "equals sign, and the name or number of a column, such as source=English,target=French "
            "or source=2,target=3",
        ),
        (
            "source=1",
            "--columns is 'source=1': name a source and a target column, such as "
            "source=English,target=French or source=2,target=3",
        ),
        ("source=1,source=2,target=3", "--columns names 2 source columns, expected 1"),
    ],
)
def test_a_wrong_choice_is_explained(columns: str, problem: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_lexicon(FILES / "pos.csv", columns=columns)

    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (
            "source=English,target=German",
            "--columns names 'German', but the header has 'English', 'French', 'Part of speech': "
            "give one of these, or the number of a column",
        ),
        ("source=1,target=4", "--columns names column 4, but there are 3"),
    ],
)
def test_a_column_that_is_not_there_is_named(columns: str, problem: str) -> None:
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(FILES / "pos.csv", columns=columns)

    assert (caught.value.line, caught.value.problem) == (1, problem)


def test_a_file_without_columns_has_none_to_choose() -> None:
    with pytest.raises(SettingError) as caught:
        read_lexicon(FILES / "comments.txt", columns="source=2,target=1")

    assert str(caught.value) == (
        "--columns is for tables such as CSV, but comments.txt is in the format muse: leave it out"
    )


def test_what_nobody_reviewed_is_used_on_request() -> None:
    lexicon = read_lexicon(FILES / "induced.tsv", unreviewed=True)

    assert lexicon.report is not None
    assert (len(lexicon), lexicon.report.left_out) == (5, ())


def test_a_dictionary_that_nobody_reviewed_is_no_seed_lexicon(tmp_path: Path) -> None:
    lines = (FILES / "induced.tsv").read_text("utf-8").split("\n")
    path = tmp_path / "d.tsv"
    path.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert caught.value.problem == (
        "all 2 pairs are of origin induced: a model found them, and nobody has reviewed them. "
        "Review them first (origin reviewed), or use them as they are: --unreviewed, in Python "
        "unreviewed=True"
    )
