"""Fleet files: what they say, and what their errors say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.errors import InputFileError
from bilex.fleet import Fleet, load_fleet
from fleet_data import METHOD, fleet_text, write_fleet

TOP = 'hub = "en"\nvectors = "{language}.vec"\n'
THREE = "[languages.en]\n[languages.fr]\n[languages.pt-BR]\n"


def read(folder: Path, text: str) -> Fleet:
    return load_fleet(write_fleet(folder, text))


def test_a_fleet_has_defaults_for_all_but_languages(tmp_path: Path) -> None:
    found = read(tmp_path, "[languages]\nen = {vectors='a.vec'}\nfr = {vectors='b.vec'}\n")

    assert found.hub == "auto"
    assert found.pairs == (("en", "fr"), ("fr", "en"))
    assert found.languages["fr"].vectors == tmp_path / "b.vec"
    assert (found.seeds, found.formats, found.languages["en"].limit) == ((), (), None)
    assert "calibration" in found.method.tables  # of the preset bilex


def test_languages_override_what_stands_above_them(tmp_path: Path) -> None:
    text = (
        'vectors = "v/{language}.vec"\nlimit = 100\nlowercase = true\n'
        '[languages.en]\n[languages.fr]\nvectors = "x.vec"\nlimit = 5\nlowercase = false\n'
    )
    english, french = read(tmp_path, text).languages.values()

    assert (english.vectors, english.limit) == (tmp_path / "v" / "en.vec", 100)
    assert english.lowercase
    assert (french.vectors, french.limit) == (tmp_path / "x.vec", 5)
    assert not french.lowercase


def test_seeds_are_one_file_several_or_a_file_with_columns(tmp_path: Path) -> None:
    text = (
        TOP
        + THREE
        + (
            '[seeds]\nen-fr = "a.tsv"\nfr-pt-BR = ["b.tsv", "c.tsv"]\n'
            'pt-BR-en = {file = "d.xlsx", columns = "source=2,target=3"}\n'
        )
    )
    found = read(tmp_path, text).seeds

    assert [(*file.pair, file.path.name, file.columns) for file in found] == [
        ("en", "fr", "a.tsv", None),
        ("fr", "pt-BR", "b.tsv", None),
        ("fr", "pt-BR", "c.tsv", None),
        ("pt-BR", "en", "d.xlsx", "source=2,target=3"),
    ]


def test_pairs_may_be_listed_in_one_direction(tmp_path: Path) -> None:
    listed = 'pairs = ["fr-en", "en-pt-BR"]\n'
    both = read(tmp_path, TOP + listed + THREE)
    forward = read(tmp_path, TOP + listed + 'directions = "forward"\n' + THREE)

    assert set(both.pairs) == {("fr", "en"), ("en", "fr"), ("en", "pt-BR"), ("pt-BR", "en")}
    assert forward.pairs == (("fr", "en"), ("en", "pt-BR"))
    assert both.unordered_pairs() == forward.unordered_pairs() == [("en", "fr"), ("en", "pt-BR")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOP + "[languages.en]\n", r"\[languages\] has 1 of them: give at least two"),
        (THREE, r"\[languages.en\] has no vectors: add vectors"),
        ('vectors = "x.vec"\n' + THREE, r"expected \{language\} in it"),
        (TOP + "limi = 3\n" + THREE, r"no setting 'limi' \(did you mean 'limit'\?\)"),
        (
            TOP.replace('"en"', '"ne"') + THREE,
            r"has hub = 'ne': expected one of en, fr, pt-BR, or auto",
        ),
        (TOP.replace('"en"', '"EN"') + THREE, r"or auto \(did you mean 'en'\?\)"),
        (TOP + THREE + "[languages.FR]\n", r"\[languages\] has 'fr' and 'FR', which are the same"),
        (TOP + THREE + "[seeds]\nen-fr = []\n", r"\[seeds\] has no file for 'en-fr'"),
        (TOP + THREE + "[seeds]\nen-fr = 3\n", r"\[seeds\] has en-fr = 3: expected the name of a"),
        (TOP + 'pairs = "All"\n' + THREE, r"has pairs = 'All': expected \"all\", or a list such"),
        (TOP + THREE + '[seeds]\nen-fi = "x"\n', r"\[seeds\] has a pair 'en-fi'.*'fi' is none"),
        (TOP + THREE + '[seeds]\nen-en = "x"\n', r"pair 'en-en' of one language"),
        (TOP + THREE + "[seeds]\nen-fr = {columns = 'a'}\n", r"\[seeds.en-fr\] has no 'file'"),
        (TOP + "pairs = []\n" + THREE, r"has an empty list of pairs"),
        (TOP + 'directions = "forward"\n' + THREE, r"and all pairs: leave out directions"),
        (TOP + 'formats = ["tvs"]\n' + THREE, r"has a format 'tvs' \(did you mean 'tsv'\?\)"),
        (TOP + THREE + '[method]\npreset = "bilx"\n', r"\[method\] cannot be used: no preset"),
        (TOP + THREE + '[method]\nset = ["x.y=1"]\n', r"there is no part 'x'"),
        (TOP + THREE + METHOD + "[lexicons]\nmin_precision = 0.9\n", r"learns no probabilities"),
        (TOP + THREE + "[languages.'a b']\n", r"\[languages.a b\] cannot be used: .* language tag"),
        (TOP + THREE + "[languages.en.x]\n", r"\[languages.en\] has no setting 'x'"),
        (TOP + "[[languages]]\n", r"\[languages\] is \[\{\}\]: expected a table"),
        ("hub = ", r"is not valid TOML"),
    ],
)
def test_mistakes_are_reported_with_place_and_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputFileError, match=message) as caught:
        read(tmp_path, text)
    assert caught.value.path == tmp_path / "FLEET.toml"


def test_codes_that_make_a_pair_ambiguous_are_reported(tmp_path: Path) -> None:
    codes = ("zh", "zh-fr", "fr-en", "en")
    with pytest.raises(InputFileError, match="'zh-fr-en' that can be read in several ways"):
        read(tmp_path, 'pairs = ["zh-fr-en"]\n' + fleet_text(codes))


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file"):
        load_fleet(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"hub = '\xe9'")
    with pytest.raises(InputFileError, match="UTF-8"):
        load_fleet(tmp_path / "latin.toml")
