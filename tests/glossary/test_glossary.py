"""Glossaries of texts: which terms and translations are kept, and the block for a prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.glossary import Glossary, TermIndex, entries_by_term, make_glossary, prompt
from bilex.lexicons import DictionaryEntry
from bilex.lexicons.dictionary import Origin
from bilex.oov import Lemmas

TERMS = ["the", "house", "dog", "wolf", "network"]


def entry(
    source: str, target: str, probability: float | None = None, origin: str = "induced"
) -> DictionaryEntry:
    return DictionaryEntry(source, target, probability, origin=cast(Origin, origin))


def every(row: int) -> Sequence[DictionaryEntry]:
    return [entry(TERMS[row], TERMS[row].upper(), 0.9)]


def names(glossary: Glossary) -> list[str]:
    return [term.term for term in glossary.terms]


def targets(*entries: DictionaryEntry, **options: float) -> list[str]:
    """Return the translations that are kept of these."""
    made = make_glossary("dog", TermIndex(["dog"]), lambda _: entries, **options)  # type: ignore[arg-type]
    return [entry.target for term in made.terms for entry in term.targets]


def test_a_term_has_its_forms_and_places() -> None:
    text = "Networks: a Dog and\nthe dog, DOG"
    dog = {
        "term": "dog",
        "found": ["Dog", "dog", "DOG"],
        "how": "exact",
        "spans": [[12, 15], [24, 27], [29, 32]],
        "rank": 3,
        "targets": [{"word": "DOG", "probability": 0.9, "origin": "induced"}],
    }
    made = make_glossary(text, TermIndex(TERMS), every)

    assert names(made) == ["network", "dog", "the"]
    assert made.terms[1].to_dict() == dog
    assert (made.terms[0].how, made.terms[0].found) == ("similar", ("Networks",))
    assert json.loads(json.dumps(made.to_dict()))["terms"][1] == dog
    assert names(make_glossary(text, TermIndex(TERMS), every, similar=False)) == ["dog", "the"]


def test_white_space_in_a_form_is_one_space() -> None:
    index = TermIndex(["hot dog"])
    made = make_glossary("hot dog hot\n  dog", index, lambda _: [entry("hot dog", "x", 1)])
    assert made.terms[0].found == ("hot dog",)


def test_the_rarest_terms_are_kept_in_the_order_of_the_text() -> None:
    text = "the network, the house, the dog"
    made = [make_glossary(text, TermIndex(TERMS), every, max_terms=n) for n in (1, 2, 3, 9)]
    assert list(map(names, made)) == [
        ["network"],
        ["network", "dog"],
        ["network", "house", "dog"],
        ["the", "network", "house", "dog"],
    ]


def test_terms_without_a_translation_make_room_for_others() -> None:
    made = make_glossary(
        "network dog house",
        TermIndex(TERMS),
        lambda row: [] if row == 4 else [entry("a", "b", 0.1 if row == 2 else 0.8)],
        max_terms=1,
    )
    assert names(made) == ["house"]


def test_translations_are_chosen_by_probability_and_origin() -> None:
    listed = [
        entry("dog", "sure", 0.9),
        entry("dog", "wrong", 0.99, "rejected"),
        entry("dog", "half", 0.5),
        entry("dog", "unsure", 0.49),
        entry("dog", "unknown"),
        entry("dog", "seed", 0.01, "seed"),
        entry("dog", "reviewed", None, "reviewed"),
    ]
    assert targets(*listed, k=9) == ["reviewed", "sure", "half", "seed"]
    assert targets(*listed, k=2) == ["reviewed", "sure"]
    assert targets(*listed, k=9, min_probability=0.95) == ["reviewed", "seed"]
    assert targets(*listed, k=9, min_probability=0) == [
        "reviewed", "sure", "half", "unsure", "unknown", "seed",
    ]  # fmt: skip
    assert targets(entry("dog", "wrong", 1.0, "rejected")) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_terms": 0}, "max_terms is 0 and k is 3: give numbers of at least 1"),
        ({"k": 0}, "k is 0"),
        ({"min_probability": 1.5}, "min_probability is 1.5: give a number from 0 to 1"),
        ({"min_probability": float("nan")}, "min_probability is nan"),
    ],
)
def test_numbers_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        targets(**options)


def test_the_prompt() -> None:
    index = TermIndex(["network", "wolf", "dog"], lemmas=Lemmas({"wolves": "wolf"}.get))
    listed = [
        [entry("network", "red", 0.799)],
        [entry("wolf", "lobo", 0.97), entry("wolf", "loba", 0.57)],
        [entry("dog", "perro", 0.1, "seed"), entry("dog", "can", 0.1, "reviewed")],
    ]
    made = make_glossary("Networks; Wolves. DOG", index, listed.__getitem__)

    assert made.prompt("en", "es") == (
        "Glossary for the translation from English to Spanish.\n"
        "Translations are dictionary forms: inflect them as the sentence requires, and use one "
        "only where its meaning fits.\n"
        "A translation with a percentage is uncertain: it is right with this probability.\n"
        '"Similar to" means that the text has another form, which may be a different word: ignore '
        "the translation if it is.\n"
        '- "network" (similar to "Networks" in the text): "red" (79 %)\n'
        '- "wolf" (in the text: "Wolves"): "lobo" or "loba" (57 %)\n'
        '- "dog": "can" or "perro"\n'
    )


def test_the_prompt_explains_only_what_is_in_it() -> None:
    made = make_glossary("dog", TermIndex(["dog"]), lambda _: [entry("dog", "perro", 0.9)])
    first, second, term = made.prompt().splitlines()
    assert first == "Glossary for the translation from the source language to the target language."
    assert "dictionary forms" in second
    assert term == '- "dog": "perro"'
    assert make_glossary("cat", TermIndex(["dog"]), every).prompt("en", "es") == ""


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_word_leaves_its_line_of_the_prompt(word: str, tag: str) -> None:
    index = TermIndex(["dog"])
    made = make_glossary("dog", index, lambda _: [entry("dog", word, 0.9)])

    *_, last = lines = made.prompt(tag, "x-klingon").splitlines()

    assert len(lines) == 3
    assert json.loads(last.removeprefix('- "dog": ')) == word
    assert "".join(lines).encode()


def test_line_breaks_and_quotes_of_a_form_are_escaped() -> None:
    index = TermIndex(['he said "dogs'])
    made = make_glossary('He said "dogs', index, lambda _: [entry("a", 'b"\n- "c": "d"', 0.9)])
    assert made.prompt().splitlines()[-1] == r'- "he said \"dogs": "b\"\n- \"c\": \"d\""'


@pytest.mark.parametrize(
    ("tag", "name"),
    [("es", "Spanish"), ("spa", "Spanish"), ("xx-klingon", "xx-klingon"), ("und", ""), ("", "")],
)
def test_names_of_languages(tag: str, name: str) -> None:
    assert prompt.language_name(tag) == name


def test_variants_of_languages_without_the_data_of_langcodes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompt.language_name.cache_clear()
    monkeypatch.setattr(prompt, "find_spec", lambda _: None)
    assert prompt.language_name("pt-BR") == "Portuguese (pt-BR)"
    assert prompt.language_name("qqq") == "qqq"
    assert capsys.readouterr().out == ""
    prompt.language_name.cache_clear()


def test_entries_by_term() -> None:
    listed = [
        DictionaryEntry("dog", "perro", 0.7, rank=1, back_rank=2),
        DictionaryEntry("dog", "can", origin="seed"),
        DictionaryEntry("hound", "perro", 0.9),
    ]
    assert entries_by_term(listed) == {"dog": listed[:2], "hound": listed[2:]}
    assert entries_by_term(listed, reverse=True) == {
        "perro": [
            DictionaryEntry("perro", "hound", 0.9),
            DictionaryEntry("perro", "dog", 0.7, rank=2, back_rank=1),
        ],
        "can": [DictionaryEntry("can", "dog", origin="seed")],
    }
