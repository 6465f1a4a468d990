"""Which language codes mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.lexicons.imports.languages import (
    Language,
    PairRequest,
    languages_in_name,
    parse_pair,
)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("fi", "fin"),
        ("fin", "fi"),
        ("de", "ger"),
        ("deu", "ger"),
        ("en", "en-US"),
        ("en", "EN_gb"),
        ("ar", "arb"),
        ("zh", "cmn"),
        ("he", "iw"),
        ("nan", "zh-min-nan"),
        ("pa-Arab", "pan-Arab"),
        ("stan1293", "stan1293"),
        ("ine-pro", "ine-pro"),
    ],
)
def test_codes_of_the_same_language_match(wanted: str, found: str) -> None:
    assert Language.of(wanted).matches(found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("fi", "fr"),
        ("pa-Arab", "pa"),
        ("zh", "yue"),
        ("en", "enm"),
        ("en", "en-fonipa"),
        ("en", "eng-Zxxx-x-audio"),
        ("en", ""),
        ("en", None),
        ("en", ["en"]),
        ("en", "en" * 1000),
    ],
)
def test_codes_of_other_languages_do_not_match(wanted: str, found: object) -> None:
    assert not Language.of(wanted).matches(found)


@given(st.text(max_size=50))
def test_any_text_is_compared_without_an_error(code: str) -> None:
    assert Language.of("en").matches(code) in (True, False)


@given(st.sampled_from(["en", "fi", "zh", "sr", "ar", "nan", "pa-Arab", "ine-pro"]), st.data())
def test_every_matching_code_starts_with_one_of_the_spellings(
    wanted: str, data: st.DataObject
) -> None:
    language = Language.of(wanted)
    start = data.draw(
        st.sampled_from([*language.spellings(), "en", "fin", "cmn", "zh-min-nan", "sh"])
    )
    code = start + data.draw(st.sampled_from(["", "-Latn", "_XX", "-Arab"]))

    if language.matches(code):
        spellings = (wanted.lower(), *language.spellings())
        assert any(code == one or code.startswith((f"{one}-", f"{one}_")) for one in spellings)


@pytest.mark.parametrize("text", ["", "e", "en fi", "-en", "e" * 41, "日本"])
def test_a_text_that_is_no_code_is_an_error(text: str) -> None:
    with pytest.raises(SettingError, match="expected a code such as fi, fin or pa-Arab"):
        Language.of(text)


@pytest.mark.parametrize(
    ("text", "pair"),
    [("en-fi", ("en", "fi")), ("eng-fin", ("eng", "fin")), ("en:pa-Arab", ("en", "pa-Arab"))],
)
def test_a_pair_is_two_codes(text: str, pair: tuple[str, str]) -> None:
    assert parse_pair(text) == pair


@pytest.mark.parametrize("text", ["en", "en-", "en-pa-Arab", "en:", "a:b:c"])
def test_a_pair_of_another_form_is_an_error(text: str) -> None:
    with pytest.raises(SettingError) as error:
        parse_pair(text)
    assert str(error.value) == (
        f"the pair is {text!r}, expected two language codes such as en-fi, or en:pa-Arab if a code "
        "has a hyphen"
    )


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("freedict-eng-fra.dict.dz", ("eng", "fra")),
        ("apertium-es-pt.es-pt.dix", ("es", "pt")),
        ("en_fi.dic.gz", ("en", "fi")),
        ("words.dix", None),
        ("xx-qq.dix", None),
    ],
)
def test_languages_are_found_in_file_names(name: str, codes: tuple[str, str] | None) -> None:
    assert languages_in_name(Path("some-where", name)) == codes


def test_a_pair_is_recognized_in_both_directions() -> None:
    request = PairRequest(Language.of("en"), Language.of("fin"))

    assert request.is_reversed("eng", "fi") is False
    assert request.is_reversed("fi", "en") is True
    assert request.is_reversed("en", "sv") is None
    assert request.name == "en-fin"


@pytest.mark.parametrize(
    ("code", "tag"), [("eng", "en"), ("zho-Hant", "zh-Hant"), ("stan1293", "und-x-stan1293")]
)
def test_metadata_have_a_valid_tag(code: str, tag: str) -> None:
    assert Language.of(code).metadata_tag == tag
