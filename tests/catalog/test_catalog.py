"""The catalog: what bilex knows, and what users add to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.catalog import Entry, Pair, catalog, choose, find
from bilex.errors import InputFileError, SettingError

BUILT_IN = {entry.name: entry for entry in catalog()}
GOOD = """
[data.mine]
title = "Mine"
kind = "seeds"
about = "tests"
page = "https://example.org"
license = "CC0-1.0"
"""


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("entry", BUILT_IN.values(), ids=lambda entry: entry.name)
def test_every_file_of_the_catalog_has_an_address_and_a_name(entry: Entry) -> None:
    assert entry.page.startswith("https://")
    if entry.address is None:
        return
    assert entry.address.startswith("https://")
    if entry.by == "pair":
        files = [entry.at(pair=str(pair)) for pair in entry.pairs or [Pair("aa", "bb")]]
    elif entry.by == "language":
        files = [entry.at(language=code) for code in entry.languages or ["aa"]]
    else:
        files = [entry.at()]
    assert len({file.address for file in files}) == len(files)
    assert len({file.name for file in files}) == len(files)
    for file in files:
        assert not set("{}/ ") & set(file.name)
        assert not set("{} ") & set(file.address)
        assert "{" not in file.next


def test_the_languages_are_as_published() -> None:
    counts = {
        "fasttext-crawl": 158,  # 157 on its page, and English
        "fasttext-wiki": 294,
        "fasttext-aligned": 44,
        "panlex-bli": 15,
    }
    found = {name: len(BUILT_IN[name].languages or ()) for name in counts}
    assert found == counts
    pairs = {name: len(BUILT_IN[name].pairs or ()) for name in ("muse", "xling-test")}
    assert pairs == {"muse": 2 * 44 + 20, "xling-test": 28}


def test_non_commercial_licenses_say_so() -> None:
    for entry in BUILT_IN.values():
        assert ("-NC-" in entry.license) == (entry.terms == "non-commercial use only")


@pytest.mark.parametrize(
    ("name", "question", "address", "file"),
    [
        (
            "fasttext-crawl",
            {"language": "fi"},
            "https://dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.fi.300.vec.gz",
            "cc.fi.300.vec.gz",
        ),
        (
            "muse-train",
            {"pair": "fi-en"},
            "https://dl.fbaipublicfiles.com/arrival/dictionaries/fi-en.0-5000.txt",
            "muse.fi-en.0-5000.txt",
        ),
        (
            "gatitos",
            {"pair": "en-mni-Mtei"},
            "https://raw.githubusercontent.com/google-research/url-nlp/main/gatitos/"
            "en_mni-Mtei.tsv",
            "en_mni-Mtei.gatitos.tsv",
        ),
        (
            "kaikki",
            {"language": "vo"},
            "https://kaikki.org/dictionary/Volap%C3%BCk/kaikki.org-dictionary-Volap%C3%BCk.jsonl",
            "kaikki.org-dictionary-Volapük.jsonl",
        ),
        (
            "wikidata-lexemes",
            {},
            "https://dumps.wikimedia.org/wikidatawiki/entities/latest-lexemes.json.gz",
            "latest-lexemes.json.gz",
        ),
    ],
)
def test_addresses_are_filled_in(
    name: str, question: dict[str, str], address: str, file: str
) -> None:
    found = find(name, **question)
    assert (found.address, found.name) == (address, file)


@pytest.mark.parametrize(
    ("name", "question", "message"),
    [
        ("fastext-crawl", {}, "no data is called 'fastext-crawl' (did you mean 'fasttext-crawl'?)"),
        (
            "fasttext-crawl",
            {"language": "finnish"},
            "fasttext-crawl is published for 158 languages, not for 'finnish' (near: fi Finnish); "
            "all codes: bilex data list --json",
        ),
        (
            "fasttext-aligned",
            {"language": "fin"},
            "fasttext-aligned is published for 44 languages, not for 'fin' (near: fi Finnish",
        ),
        ("fasttext-crawl", {"language": "???"}, "not for '???'; all codes"),
        (
            "xling-test",
            {"pair": "fi-en"},
            "xling-test is published for 28 pairs, not for 'fi-en' (did you mean en-fi?); "
            "all pairs: bilex data list --json",
        ),
        ("muse", {"pair": "en-fx"}, "muse is published for 108 pairs, not for 'en-fx' (near: en-f"),
        (
            "fasttext-crawl",
            {},
            "fasttext-crawl has one file for each language: add --language fi, or another one",
        ),
        ("muse", {}, "muse has one file for each pair: add --pair en-fi, or another one"),
        (
            "muse",
            {"language": "fi", "pair": "en-fi"},
            "muse has one file for each pair: leave out --language fi",
        ),
        ("ids", {"language": "fi"}, "ids has a single file: leave out --language fi"),
        (
            "freedict",
            {"pair": "en-fi"},
            "freedict has no single address: choose a file at https://freedict.org/downloads/ and "
            "download it with a browser",
        ),
        ("cc100", {"language": "../x"}, "the language is '../x': expected a code, such as fi"),
        ("apertium", {"pair": "eng"}, "the pair is 'eng': expected two codes, such as en-fi"),
        ("apertium", {"pair": "a-b/c"}, "the pair is 'a-b/c': expected two codes, such as en-fi"),
    ],
)
def test_what_is_not_published_is_explained(
    name: str, question: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingError) as error:
        find(name, **question)
    assert message in str(error.value)


def test_entries_are_chosen_by_language_pair_and_kind() -> None:
    def named(**wanted: str) -> set[str]:
        return {entry.name for entry in choose(tuple(BUILT_IN.values()), **wanted)}

    assert named() == set(BUILT_IN)
    assert named(kind="tests") == {"muse-test", "xling-test", "panlex-bli"}
    assert {"fasttext-crawl", "muse", "xling-train"} <= named(language="fi")
    assert named(kind="vectors", language="ltg") == {"fasttext-wiki"}
    assert named(kind="tests", pair="en-fi") == {"muse-test", "xling-test"}
    assert named(kind="tests", pair="fi-en") == {"muse-test", "xling-test"}
    assert named(kind="tests", pair="et-fi") == {"panlex-bli"}
    assert {"gatitos", "smol-gatitos"} <= named(kind="seeds", pair="en-mni-Mtei")
    assert "gatitos" not in named(kind="seeds", pair="en-fi")


def test_users_add_entries(tmp_path: Path) -> None:
    text = GOOD + (
        'address = "http://example.org/{pair}.tsv"\nlanguages = ["fi", "et"]\n'
        'pairs = ["en-*", "fi-et"]\nbytes = { en-fi = 5 }\n'
    )
    file = find("mine", pair="en-fi", files=[own(tmp_path, text)])
    assert (file.address, file.bytes) == ("http://example.org/en-fi.tsv", 5)
    assert (file.sha256, file.md5) == (None, None)
    mine = catalog(own(tmp_path, text))[-1]
    assert mine.name == "mine"
    assert mine.pairs == (Pair("en", "fi"), Pair("en", "et"), Pair("fi", "et"))
    assert mine.coverage == "3 pairs"


def test_users_correct_entries(tmp_path: Path) -> None:
    text = '[data.fasttext-crawl]\naddress = "https://mirror.example/{language}.gz"\n'
    entries = catalog(own(tmp_path, text))
    assert [entry.name for entry in entries] == list(BUILT_IN)
    file = entries[0].at(language="fi")
    assert (file.address, file.license) == ("https://mirror.example/fi.gz", "CC-BY-SA-3.0")


def test_later_files_win(tmp_path: Path) -> None:
    first = own(tmp_path, GOOD + 'address = "https://example.org/a"\nmd5 = "' + "0" * 32 + '"\n')
    second = tmp_path / "second.toml"
    second.write_text('[data.mine]\naddress = "https://example.org/b"\n')
    found = find("mine", files=[first, second])
    assert (found.address, found.md5) == ("https://example.org/b", "0" * 32)


MISTAKES = [
    ("x = [", "is not valid TOML: "),
    ("x = " + "[" * 5_000, "is not valid TOML: "),
    ("daten = {}", "the catalog has no setting 'daten' (did you mean 'data'?); it has: lists,"),
    ("data = 1", "[data] is 1: expected a table"),
    ("[data]\nmine = 1", "[data.mine] is 1: expected a table"),
    ('[data."No Name"]', "[data.No Name] has a name that is not of a-z, 0-9, dots and hyphens"),
    ("[lists]\nx = 1", "[lists] has x = 1: expected a list of codes in quotes"),
    ('[lists]\nx = ["a b"]', "[lists] has 'a b' in x: expected a code, such as fi"),
    ("[names]\nfi = 1", "[names] has fi = 1: expected a text in quotes"),
    ('[data.mine]\ntitle = "x"', "[data.mine] has no 'kind': add kind = \"…\""),
    (GOOD + "adress = 1", "[data.mine] has no setting 'adress' (did you mean 'address'?)"),
    (GOOD + "size = 5", "[data.mine] has size = 5: expected a text in quotes"),
    (
        GOOD.replace("seeds", "seed"),
        "[data.mine] has kind = 'seed': expected one of vectors, seeds, tests, text",
    ),
    (
        GOOD + 'address = "ftp://example.org/x"',
        "[data.mine] has address = 'ftp://example.org/x': expected an address such as https://…",
    ),
    (GOOD + 'address = "https:///x"', "expected an address such as https://…"),
    (GOOD + 'address = "https://example.org/a b"', "expected an address such as https://…"),
    (GOOD + 'address = "https://example.org:99999/a"', "expected an address such as https://…"),
    (GOOD + f'address = "https://{"a" * 64}.org/a"', "expected an address such as https://…"),
    (GOOD + 'address = "https://example.org/"', "without the name of a file: add file = "),
    (
        GOOD + 'address = "https://example.org/{word}"',
        "{word} is not one of {language}, {name}, {pair}, {source}, {target}",
    ),
    (GOOD + 'address = "https://example.org/{language"', "has address = "),
    (GOOD + 'address = "https://example.org/{language!r}"', "{language} is not one of"),
    (
        GOOD + 'address = "https://example.org/{language}/{pair}"',
        "has an address with both a language and a pair: expected one of them",
    ),
    (
        GOOD + 'address = "https://example.org/{language}"',
        "has an address for each language, but no languages: add languages = […], or "
        'languages = "any"',
    ),
    (
        GOOD + 'address = "https://example.org/x"\nfile = "{pair}"',
        "has file = '{pair}', with placeholders that its address does not have",
    ),
    (
        GOOD + 'address = "https://example.org/x"\nfile = "../x"',
        "has file = '../x': expected the name of a file, without a folder",
    ),
    (GOOD + 'languages = "muze"', "has languages = 'muze' (did you mean 'muse'?): expected a list"),
    (GOOD + "languages = []", "has languages = []: expected a list of codes in quotes"),
    (GOOD + 'pairs = ["en"]', "has a pair 'en': expected two codes, such as en-fi or en-*"),
    (GOOD + 'pairs = ["en-*"]', "has a pair 'en-*', but no languages: add languages = […]"),
    (GOOD + "pairs = 1", "has pairs = 1: expected a list of codes in quotes"),
    (
        GOOD + 'address = "https://example.org/x"\nbytes = -1',
        "has bytes = -1: expected a whole number, 0 or more",
    ),
    (
        GOOD + 'address = "https://example.org/x"\nsha256 = "12"',
        "has sha256 = '12': expected 64 digits of 0-9 and a-f",
    ),
    (
        GOOD + 'address = "https://example.org/{language}"\nlanguages = ["fi"]\nbytes = 1',
        "has bytes = 1: expected a table by language or pair",
    ),
]


@pytest.mark.parametrize(
    ("text", "message"), MISTAKES, ids=[mistake[1][:40] for mistake in MISTAKES]
)
def test_a_mistake_names_the_file_and_the_entry(tmp_path: Path, text: str, message: str) -> None:
    path = own(tmp_path, text)
    with pytest.raises(InputFileError) as error:
        catalog(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_a_catalog_has_to_be_there_and_be_text(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file; check the path of the catalog"):
        catalog(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(InputFileError, match="cannot be read as UTF-8 text"):
        catalog(tmp_path / "bytes.toml")
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(16 * 2**20 + 1)
    with pytest.raises(InputFileError, match="is too large for a catalog"):
        catalog(tmp_path / "large.toml")


@given(question=st.text(max_size=12), name=st.sampled_from(sorted(BUILT_IN)))
@settings(max_examples=40, deadline=None)
def test_any_question_gives_a_safe_name_or_a_plain_error(question: str, name: str) -> None:
    for key in ("language", "pair"):
        try:
            found = BUILT_IN[name].at(**{key: question})
        except SettingError:
            continue
        assert Path(found.name).name == found.name
        assert found.address.isascii()
        assert ".." not in found.address
